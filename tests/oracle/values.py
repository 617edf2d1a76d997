"""Values as plain Python objects, and what declarations do to them.

Bool is ``bool``; Int, Dir and enums are ``int``; Float is ``float``; Pos is ``(row, col)`` and Vec2
``(x, y)``; a Grid is a list of rows, an Array a list; a table is a list of rows, each a dictionary
of its columns and "alive". Grids, arrays and tables are copied wherever a value is kept.
"""

from __future__ import annotations

import copy
import math
from typing import Any

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Grid, Scalar, TableRef, Type

from .numbers import single, wrap

__all__ = ["copied", "element", "fresh", "saturate", "zero", "zero_row"]


def element(type_: Type) -> Scalar:
    """The scalar type of a value's elements."""
    assert not isinstance(type_, TableRef)
    return type_ if isinstance(type_, Scalar) else type_.elem


def zero(type_: Type, size: tuple[int, int]) -> Any:
    """The type's zero."""
    match type_:
        case Grid(elem=elem):
            return [[zero(elem, size) for _ in range(size[1])] for _ in range(size[0])]
        case Array(elem=elem, length=length):
            return [zero(elem, size) for _ in range(length)]
        case Scalar(kind=kind):
            return {"Bool": False, "Float": 0.0, "Pos": (0, 0), "Vec2": (0.0, 0.0)}.get(kind, 0)
    raise TypeError(type_)


def zero_row(tree: Tree, table: Field) -> dict[str, Any]:
    """A row that is not in use."""
    assert isinstance(table.type, TableRef)
    columns = tree.row(table.type.row_type).columns
    return {"alive": False} | {c.name: zero(c.type, tree.game.size) for c in columns}


def copied(value: Any) -> Any:
    """The value itself, sharing nothing that can change."""
    return copy.deepcopy(value) if isinstance(value, list) else value


def saturate(declared: Field, value: Any, size: tuple[int, int]) -> tuple[Any, bool]:
    """The value held within the declared range, and whether it had a NaN (which becomes lo)."""
    if isinstance(value, list):
        held = [saturate(declared, item, size) for item in value]
        return [item for item, _ in held], any(nan for _, nan in held)
    kind = element(declared.type).kind
    if kind == "Pos":
        rows, cols = size
        row, col = value
        return (min(max(row, -rows), 2 * rows - 1), min(max(col, -cols), 2 * cols - 1)), False
    if kind == "Int":
        assert declared.range is not None
        return min(max(value, math.ceil(declared.range.lo)), math.floor(declared.range.hi)), False
    if kind == "Float":
        return _within(declared, value)
    if kind == "Vec2":
        (x, x_nan), (y, y_nan) = _within(declared, value[0]), _within(declared, value[1])
        return (x, y), x_nan or y_nan
    return value, False


def _within(declared: Field, value: float) -> tuple[float, bool]:
    assert declared.range is not None
    low, high = single(declared.range.lo), single(declared.range.hi)
    return (low, True) if math.isnan(value) else (min(max(value, low), high), False)


def fresh(tree: Tree, declared: Field) -> Any:
    """A field as ``reset`` finds it, or a column as ``spawn`` does: its init, within its range."""
    size = tree.game.size
    if isinstance(declared.type, TableRef):
        return [zero_row(tree, declared) for _ in range(declared.capacity)]
    plain = _plain(element(declared.type), declared.init)
    match declared.type:
        case Grid():
            whole: Any = [[plain] * size[1] for _ in range(size[0])]
        case Array(length=length):
            whole = [plain] * length
        case _:
            whole = plain
    return saturate(declared, whole, size)[0]


def _plain(type_: Scalar, value: Any) -> Any:
    match type_.kind:
        case "Bool":
            return bool(value)
        case "Float":
            return single(float(value))
        case "Pos":
            return (wrap(int(value[0])), wrap(int(value[1])))
        case "Vec2":
            return (single(float(value[0])), single(float(value[1])))
    return int(value)
