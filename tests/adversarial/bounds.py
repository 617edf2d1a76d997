"""Is every number of a state where its declaration says it can be?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Grid, TableRef
from envs_dsl.language.vocabulary import DIRS

__all__ = ["out_of_bounds"]


def out_of_bounds(tree: Tree, state: Any) -> list[str]:
    """Fields (and reward sums) of a NumPy state that are not finite or leave their range."""
    found = [
        name
        for name, field, value in _leaves(tree, state)
        if not _fits(tree, field, value, in_row="." in name)
    ]
    for name in ("total", "last_reward"):
        value = np.asarray(getattr(state, name))
        # a step pays the difference of two sums that lie within ±1
        if not (np.isfinite(value).all() and (np.abs(value) <= 2).all()):
            found.append(name)
    return found


def _leaves(tree: Tree, state: Any) -> Iterator[tuple[str, Field, np.ndarray]]:
    for field in tree.fields:
        value = state.fields[field.name]
        if not isinstance(field.type, TableRef):
            yield field.name, field, np.asarray(value)
            continue
        for column in tree.row(field.type.row_type).columns:
            yield f"{field.name}.{column.name}", column, np.asarray(value[column.name])


def _fits(tree: Tree, field: Field, value: np.ndarray, in_row: bool) -> bool:
    type_ = field.type
    elem = type_.elem if isinstance(type_, Grid | Array) else type_
    assert not isinstance(elem, TableRef)
    match elem.kind:
        case "Bool":
            return value.dtype == np.bool_
        case "Int" | "Float" | "Vec2":
            assert field.range is not None
            low, high = np.float32(field.range.lo), np.float32(field.range.hi)
            inside = (value >= low) & (value <= high)
            if in_row:
                inside |= value == 0  # a freed row is zeroed
            return bool(inside.all())
        case "Enum":
            return bool(((value >= 0) & (value < len(tree.enum(elem.enum).members))).all())
        case "Dir":
            return bool(((value >= 0) & (value < len(DIRS))).all())
        case "Pos":
            size = np.asarray(tree.game.size)
            return bool(((value >= -size) & (value < 2 * size)).all())
    return False
