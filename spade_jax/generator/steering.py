"""Parameters moved towards the target success rate: the child of a mastered program is mastered."""

from __future__ import annotations

import numpy as np

from envs_dsl import Program, ProgramError
from envs_dsl.mutate import move_params
from spade_jax.types import Context

__all__ = ["EASIER", "HARDER", "moved", "outside"]

HARDER, EASIER = "harder", "easier"

_SURE = 0.2
"""So far from the target the direction is certain; at the target either is as good."""


def outside(success: float | None, context: Context) -> bool:
    """Whether a program of this measured success rate is outside the band of the run."""
    low, high = context.band
    return success is not None and not low <= success <= high


def moved(
    program: Program, success: float | None, context: Context, rng: np.random.Generator
) -> tuple[Program, str] | None:
    """``program`` with its parameters moved, and in which direction.

    Args:
      program: with the parameters that ``success`` was measured with, on it or on its parent.
      success: None where it was not measured: either direction is as likely.
      context: with the target. rng: two numbers are drawn.

    Returns:
      None where there is no parameter, or none could be moved.
    """
    if not program.params:
        return None
    gap = 0.0 if success is None else success - context.target
    chance = 0.5 + 0.5 * float(np.clip(gap / _SURE, -1.0, 1.0))
    harder = bool(rng.random() < chance)
    source = move_params(program, int(rng.integers(2**31)), harder)
    try:
        other = Program.from_source(source) if source else None
    except ProgramError:
        return None
    if other is None or other.hashes.program == program.hashes.program:
        return None
    return other, HARDER if harder else EASIER
