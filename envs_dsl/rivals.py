"""What the other seats do when one player plays a game of several: random legal actions.

The rule is a hash of the level and the clock, so an episode still depends only on the program, the
level and the player's own actions. Every one-player adapter uses it (gymnax and gymnasium), on both
back ends alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.backends.random import block_of, draw_bits
from envs_dsl.language.types import Game

__all__ = ["rival_actions"]

_SITE = 0x52495641  # far above the numbers of a program's own draw sites


def rival_actions(xp: Any, game: Game, seed: Any, t: Any) -> Any:
    """A random legal action for every seat: int32[B, S] (the caller overwrites its own seat).

    Where turns alternate, the back end hears only the seat on turn.

    Args:
      xp: ``numpy`` or ``jax.numpy``.
      game: the program's header.
      seed: int32[B, 2], of the level.
      t: int32[B], completed steps.
    """
    legal = np.asarray(game.actions, np.int32)
    block = block_of(xp, seed, t)
    drawn = []
    for seat in range(game.players):
        bits = draw_bits(block, _SITE, seat) >> np.uint32(8)
        action = xp.asarray(legal)[(bits * np.uint32(len(legal)) >> np.uint32(24)).astype(np.int32)]
        drawn.append(action)
    return xp.stack(drawn, 1)
