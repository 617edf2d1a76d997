"""When two answers count as the same: ints and bools exactly, floats within rounding.

A float may be off by ``RELATIVE`` of its size, or of the largest value its declaration allows.
Several right answers may be given: what the oracle says under roundings that are not fixed. Then an
int may be any of theirs, and a float may lie between them, or as far outside as they lie apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Field, TableRef

__all__ = ["RELATIVE", "difference"]

RELATIVE = 1e-5


def difference(tree: Tree, wants: list[Any], got: Any) -> str | None:
    """The first difference of ``got`` from all of ``wants`` in words, or None.

    Args:
      wants: plain states (``oracle.State``), one or more.
      got: a plain state.
    """
    for name, values, value, floor in _pairs(tree, wants, got):
        if not _same(values, value, floor):
            return f"{name}: {values[0]} and {value}"
    return None


def _pairs(tree: Tree, wants: list[Any], got: Any) -> Iterator[tuple[str, list[Any], Any, float]]:
    for field in tree.fields:
        values, value = [w.fields[field.name] for w in wants], got.fields[field.name]
        if not isinstance(field.type, TableRef):
            yield field.name, values, value, _floor(field)
            continue
        for i, row in enumerate(value):
            yield f"{field.name}[{i}].alive", [v[i]["alive"] for v in values], row["alive"], 0.0
            for column in tree.row(field.type.row_type).columns:
                name = column.name
                words = f"{field.name}[{i}].{name}"
                yield words, [v[i][name] for v in values], row[name], _floor(column)
    for name in ("t", "turn", "outcome", "last_action", "fault", "illegal", "seed", "params"):
        yield name, [getattr(w, name) for w in wants], getattr(got, name), 0.0
    for name in ("total", "score", "last_reward"):
        yield name, [getattr(w, name) for w in wants], getattr(got, name), RELATIVE


def _floor(declared: Field) -> float:
    bounds = declared.range
    return RELATIVE * max(1.0, abs(bounds.lo), abs(bounds.hi)) if bounds else 0.0


def _same(wants: list[Any], got: Any, floor: float) -> bool:
    if isinstance(got, list | tuple):
        return all(_same([want[i] for want in wants], item, floor) for i, item in enumerate(got))
    if not isinstance(got, float):
        return got in wants
    if got in wants:
        return True
    if not math.isfinite(got) or not all(map(math.isfinite, wants)):
        return False
    low, high = min(wants), max(wants)
    room = max(floor, RELATIVE * max(abs(low), abs(high)), high - low)
    return low - room <= got <= high + room
