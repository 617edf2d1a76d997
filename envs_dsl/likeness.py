"""How alike two programs are: by their constants where they are built alike, and by how they play.

Three grades, from cheap to dear. Equal program hashes: the same program under other names. A small
``constant_change``: the same rules with numbers that hardly differ, whatever chaos makes of them.
A small ``behaviour_distance``: other rules that play the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["behaviour_distance", "constant_change", "constants", "largest_change"]


def constants(program: Program) -> tuple[float, ...]:
    """All numbers in which programs of one skeleton may differ, in a fixed order.

    The literals of the rules (cells of layouts among them), the declared parameters and the step
    limit; the bounds of parameters are left out, for they change no level.
    """
    values = (*program.ints, *program.floats, *(p.value for p in program.params))
    return (*map(float, values), float(program.game.max_steps))


def constant_change(first: Program, second: Program) -> float:
    """The largest relative change of a constant; infinite where the skeletons differ."""
    if first.hashes.skeleton != second.hashes.skeleton:
        return float("inf")
    return largest_change(constants(first), constants(second))


def largest_change(first: Sequence[float], second: Sequence[float]) -> float:
    """The largest of |a − b| / max(|a|, |b|) over two lists of constants of one skeleton.

    0 where all are equal, 1 where a constant is new or gone, up to 2 where a sign has changed;
    infinite where the lists are of different lengths.
    """
    if len(first) != len(second):
        return float("inf")
    return max(
        (abs(a - b) / max(abs(a), abs(b)) for a, b in zip(first, second) if a != b), default=0.0
    )


def behaviour_distance(first: Program, second: Program) -> float:
    """Root mean square difference of the behaviour features (see ``envs_dsl.behaviour``).

    Both are played, and what they did is kept.
    """
    import numpy as np

    from envs_dsl.behaviour import behaviour_features

    gap = behaviour_features(first) - behaviour_features(second)
    return float(np.sqrt(np.mean(gap.astype(np.float64) ** 2)))
