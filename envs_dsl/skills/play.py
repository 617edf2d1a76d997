"""A few short episodes on the NumPy back end, by nobody or at random."""

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


def short_play(program: Program, acting: bool) -> Play:
    """32 levels, at most 96 steps: random legal actions, or none at all."""
    backend = numpy_backend(program)
    constants, rng = backend.constants(program), np.random.default_rng(0)
    seeds = rng.integers(0, 1 << 32, (COPIES, 2), np.uint32).view(np.int32)
    params = np.tile(program.default_params(), (COPIES, 1)).astype(np.float32)
    state = backend.reset(constants, seeds, params)
    first = dict(_arrays(state.fields))
    legal = np.flatnonzero(backend.observe(constants, state).legal[0, 0]).astype(np.int32)
    running, changed = np.ones(COPIES, bool), np.zeros(COPIES, bool)
    lost, won = np.zeros(COPIES, bool), np.zeros(COPIES, bool)
    shape, steps = (COPIES, program.game.players), 0
    for _ in range(min(STEPS, program.game.max_steps)):
        actions = rng.choice(legal, shape) if acting else np.zeros(shape, np.int32)
        state, out = backend.step(constants, state, actions)
        steps += int(running.sum())
        for name, value in _arrays(state.fields):
            apart = value != first[name]
            changed |= running & apart.reshape(COPIES, -1).any(1)
        over = running & (out.terminated | out.truncated)
        won |= over & np.asarray(success(state.outcome))
        lost |= over & (np.asarray(state.outcome) == LOSE)
        running &= ~over
        if not running.any():
            break
    return Play(float(changed.mean()), float(lost.mean()), float(won.mean()), steps)


def _arrays(fields: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{column}", part) for column, part in value.items())
        else:
            yield name, value
