"""How well the current policy plays: whole fresh episodes of a run's programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from envs_dsl import Program
from envs_dsl.backends import numpy_backend
from spade_jax import curator
from spade_jax.play import EpisodeStats, episode_seeds, numpy_policy, play_numpy
from spade_jax.rooms import Rooms
from spade_jax.run_state import RunState
from spade_jax.types import Evaluation

__all__ = ["measure", "measure_uncompiled"]


def measure(
    rooms: Rooms, state: RunState, programs: Sequence[Program], episodes: int, *, seed: int
) -> list[Evaluation]:
    """Whole fresh episodes of the current policy: one evaluation a program, in order."""
    stats = rooms.learner.evaluate(
        state.learner.params, programs, episodes=episodes, seed=seed, layout=state.layout
    )
    return [_evaluation(p, state, found) for p, found in zip(programs, stats, strict=True)]


def measure_uncompiled(
    rooms: Rooms, state: RunState, programs: Sequence[Program], episodes: int, seed: int
) -> list[Evaluation]:
    """The same on the NumPy back end: for programs that no executable was compiled for."""
    policy = numpy_policy(rooms.learner.numpy_params(state.learner.params))
    found = []
    for program in programs:
        backend = numpy_backend(program)
        stats = play_numpy(
            backend,
            backend.constants(program),
            program,
            policy,
            episode_seeds(seed, episodes),
            np.tile(program.default_params(), (episodes, 1)),
        )
        found.append(_evaluation(program, state, stats))
    return found


def _evaluation(program: Program, state: RunState, stats: EpisodeStats) -> Evaluation:
    return curator.evaluation(
        program.hashes.program,
        int(state.learner.iteration),
        stats.successes,
        stats.episodes,
        stats.env_steps,
        float(stats.returns.mean()),
        float(stats.lengths.mean()),
    )
