"""A few short episodes on the NumPy back end, by nobody and at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envs_dsl.backends import numpy_backend
from envs_dsl.backends.state import LOSE, success

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["Play", "short_play"]

COPIES, STEPS = 32, 96


class Play(NamedTuple):
    """Shares of levels in which some field changed, that were lost, and that were won."""

    changed: float
    lost: float
    won: float
    env_steps: int


def short_play(program: Program) -> tuple[Play, Play]:
    """32 levels, at most 96 steps: what happens when nobody acts, and in random legal play.

    Both in one batch, the first half of it without actions: a step costs about as much for 64
    copies as for 32.
    """
    backend = numpy_backend(program)
    constants, rng = backend.constants(program), np.random.default_rng(0)
    seeds = np.tile(rng.integers(0, 1 << 32, (COPIES, 2), np.uint32).view(np.int32), (2, 1))
    params = np.tile(program.default_params(), (2 * COPIES, 1)).astype(np.float32)
    state = backend.reset(constants, seeds, params)
    first = dict(_arrays(state.fields))
    legal = np.flatnonzero(backend.observe(constants, state).legal[0, 0]).astype(np.int32)
    running = np.ones(2 * COPIES, bool)
    changed, lost, won = (np.zeros(2 * COPIES, bool) for _ in range(3))
    lengths = np.zeros(2 * COPIES, np.int64)
    still = np.zeros((COPIES, program.game.players), np.int32)
    for _ in range(min(STEPS, program.game.max_steps)):
        actions = np.concatenate([still, rng.choice(legal, still.shape)])
        state, out = backend.step(constants, state, actions)
        lengths += running
        for name, value in _arrays(state.fields):
            apart = value != first[name]
            changed |= running & apart.reshape(2 * COPIES, -1).any(1)
        over = running & (out.terminated | out.truncated)
        won |= over & np.asarray(success(state.outcome))
        lost |= over & (np.asarray(state.outcome) == LOSE)
        running &= ~over
        if not running.any():
            break
    idle, random = slice(0, COPIES), slice(COPIES, None)

    def share(rows: slice) -> Play:
        means = [float(part[rows].mean()) for part in (changed, lost, won)]
        return Play(means[0], means[1], means[2], int(lengths[rows].sum()))

    return share(idle), share(random)


def _arrays(fields: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{column}", part) for column, part in value.items())
        else:
            yield name, value
