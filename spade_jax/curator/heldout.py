"""The held-out development programs: measured with fixed seeds, never trained on.

This is the only module that loads them, and it does so inside functions: importing it reads
nothing. What leaves it are numbers and hashes, so neither the generator nor the learner can come to
hold a held-out program; a test reads the source of every other module to make sure.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spade_jax.types import Evaluation

__all__ = ["SEED", "EvaluateFn", "HeldoutResult", "identities", "measure"]

# evaluate(programs, episodes, seed) → one Evaluation a program, in their order: whole episodes on
# levels that are a function of (seed, program), with its declared parameters.
EvaluateFn = Callable[[Sequence[Any], int, int], Sequence[Evaluation]]

SEED = 0x5EED
"""Of the held-out levels: the same in every run, so that runs are compared on the same levels."""


@functools.cache
def _programs() -> tuple[Any, ...]:
    from envs_dsl import library

    return tuple(library.heldout_dev())


@functools.cache
def identities() -> frozenset[str]:
    """Behaviour and skeleton hashes of the held-out programs: what no newcomer may share.

    Skeletons too, so that a held-out program with other parameters is no way in.
    """
    from envs_dsl.behaviour import behaviour_hash

    programs = _programs()
    return frozenset({behaviour_hash(p) for p in programs} | {p.hashes.skeleton for p in programs})


@dataclasses.dataclass(frozen=True)
class HeldoutResult:
    """One measurement of all held-out programs.

    Attributes:
      iteration: PPO iterations done.
      success: mean success rate over programs (each counts alike), plain frequencies.
      worst: the lowest of them.
      programs: name → success rate.
      episodes: over all programs. env_steps: likewise.
    """

    iteration: int
    success: float
    worst: float
    programs: dict[str, float]
    episodes: int
    env_steps: int


def measure(
    evaluate: EvaluateFn, iteration: int, episodes: int = 256, seed: int = SEED
) -> HeldoutResult:
    """Success of the current policy on every held-out program.

    Args:
      evaluate: plays the policy; given by the caller, so that this module holds no learner.
      iteration: PPO iterations done, for the record.
      episodes: a program. seed: of their levels; the same one throughout a comparison.

    Raises:
      ValueError: ``evaluate`` answered for another number of programs or no episodes.
    """
    programs = _programs()
    found = evaluate(programs, episodes, seed)
    if len(found) != len(programs) or any(e.episodes < 1 for e in found):
        raise ValueError(f"evaluate gave {len(found)} results for {len(programs)} programs")
    rates = {p.name: e.successes / e.episodes for p, e in zip(programs, found, strict=True)}
    return HeldoutResult(
        iteration=iteration,
        success=float(np.mean(list(rates.values()))),
        worst=min(rates.values()),
        programs=rates,
        episodes=sum(e.episodes for e in found),
        env_steps=sum(e.env_steps for e in found),
    )
