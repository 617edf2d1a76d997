"""How a value of each type is laid out in arrays, and the arrays of a fresh state."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Grid, Range, Scalar, TableRef, Type

__all__ = [
    "dtype_of",
    "element",
    "first_pos_column",
    "fresh_fields",
    "fresh_value",
    "int_bounds",
    "is_pair",
    "pos_bounds",
    "shape_of",
    "zero",
]

_DTYPES: dict[str, type] = {"Bool": np.bool_, "Float": np.float32, "Vec2": np.float32}


def element(type_: Type) -> Scalar:
    """The scalar type of a value's cells."""
    match type_:
        case Scalar():
            return type_
        case Grid(elem=elem) | Array(elem=elem):
            return elem
    raise TypeError(f"a table has no cells: {type_}")


def is_pair(type_: Type) -> bool:
    """Pos and Vec2 (also inside Grid and Array) have a last axis of 2."""
    return element(type_).kind in ("Pos", "Vec2")


def dtype_of(type_: Type) -> type:
    """bool, int32 or float32."""
    return _DTYPES.get(element(type_).kind, np.int32)


def shape_of(type_: Type, size: tuple[int, int]) -> tuple[int, ...]:
    """Shape of one copy of a value (no batch axis) on a board of ``size``."""
    pair = (2,) if is_pair(type_) else ()
    match type_:
        case Grid():
            return (*size, *pair)
        case Array(length=length):
            return (length, *pair)
    return pair


def zero(type_: Type, size: tuple[int, int]) -> np.ndarray:
    """The type's zero with a batch axis of 1."""
    return np.zeros((1, *shape_of(type_, size)), dtype_of(type_))


@functools.lru_cache(maxsize=256)
def pos_bounds(size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Bounds (inclusive) to which a stored Pos saturates: [-H, 2H) x [-W, 2W); never written."""
    rows, cols = size
    return (
        np.array([-rows, -cols], np.int32),
        np.array([2 * rows - 1, 2 * cols - 1], np.int32),
    )


@functools.lru_cache(maxsize=1024)
def int_bounds(range_: Range) -> tuple[np.int32, np.int32]:
    """A declared Int range, held within int32."""
    info = np.iinfo(np.int32)
    lo, hi = (int(min(max(bound, info.min), info.max)) for bound in (range_.lo, range_.hi))
    return np.int32(lo), np.int32(hi)


def fresh_value(field: Field, size: tuple[int, int]) -> np.ndarray:
    """A field's initial value [1, ...], saturated to its range."""
    value: np.ndarray = np.asarray(field.init, dtype_of(field.type))
    kind = element(field.type).kind
    if kind == "Pos":
        value = np.clip(value, *pos_bounds(size))
    elif kind == "Int" and field.range is not None:
        value = np.clip(value, *int_bounds(field.range))
    elif field.range is not None:
        value = np.clip(value, np.float32(field.range.lo), np.float32(field.range.hi))
    return np.broadcast_to(value, (1, *shape_of(field.type, size)))


def fresh_fields(tree: Tree) -> dict[str, Any]:
    """The fields before ``reset`` runs, each with a batch axis of 1: inits; tables empty."""
    size = tree.game.size
    fields: dict[str, Any] = {}
    for field in tree.fields:
        if isinstance(field.type, TableRef):
            table: dict[str, np.ndarray] = {
                column.name: np.zeros(
                    (1, field.capacity, *shape_of(column.type, size)), dtype_of(column.type)
                )
                for column in tree.row(field.type.row_type).columns
            }
            fields[field.name] = table | {"alive": np.zeros((1, field.capacity), np.bool_)}
        else:
            fields[field.name] = fresh_value(field, size)
    return fields


def first_pos_column(tree: Tree, table: str) -> str:
    """The column that says where a table's rows stand."""
    type_ = tree.field(table).type
    assert isinstance(type_, TableRef)
    columns = tree.row(type_.row_type).columns
    return next(c.name for c in columns if isinstance(c.type, Scalar) and c.type.kind == "Pos")
