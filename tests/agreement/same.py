"""When two answers count as the same: ints and bools exactly, floats within rounding.

A float may be off by ``RELATIVE`` of its size, or of the largest value its declaration allows.
"""

from __future__ import annotations

import math
from typing import Any

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Field, TableRef

__all__ = ["RELATIVE", "difference"]

RELATIVE = 1e-5


def difference(tree: Tree, want: Any, got: Any) -> str | None:
    """The first difference between two plain states (``oracle.State``) in words, or None."""
    for field in tree.fields:
        one, two = want.fields[field.name], got.fields[field.name]
        if isinstance(field.type, TableRef):
            for i, (row, other) in enumerate(zip(one, two)):
                if row["alive"] != other["alive"]:
                    return f"{field.name}[{i}].alive: {row['alive']} and {other['alive']}"
                for column in tree.row(field.type.row_type).columns:
                    name = column.name
                    if not _same(row[name], other[name], _floor(column)):
                        return f"{field.name}[{i}].{name}: {row[name]} and {other[name]}"
        elif not _same(one, two, _floor(field)):
            return f"{field.name}: {one} and {two}"
    for name in ("t", "outcome", "last_action", "fault", "illegal", "seed", "params"):
        if getattr(want, name) != getattr(got, name):
            return f"{name}: {getattr(want, name)} and {getattr(got, name)}"
    for name in ("total", "score", "last_reward"):
        if not _same(getattr(want, name), getattr(got, name), RELATIVE):
            return f"{name}: {getattr(want, name)} and {getattr(got, name)}"
    return None


def _floor(declared: Field) -> float:
    bounds = declared.range
    return RELATIVE * max(1.0, abs(bounds.lo), abs(bounds.hi)) if bounds else 0.0


def _same(one: Any, two: Any, floor: float) -> bool:
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(_same(a, b, floor) for a, b in zip(one, two))
    if isinstance(one, float):
        if one == two:
            return True
        return (
            math.isfinite(one)
            and math.isfinite(two)
            and (abs(one - two) <= max(floor, RELATIVE * max(abs(one), abs(two))))
        )
    return bool(one == two)
