"""Builtins that read tables, or the program's board: ``(machine, node, values, mask) -> value``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs_dsl.backends.arithmetic import deltas
from envs_dsl.backends.geometry import chebyshev, manhattan, toward
from envs_dsl.backends.grids import read_board
from envs_dsl.backends.kit import Mask
from envs_dsl.backends.layout import first_pos_column
from envs_dsl.backends.lookup import lookup_bool
from envs_dsl.backends.machine import Machine
from envs_dsl.language.tree import Call, Const, TableName
from envs_dsl.language.types import EnumDecl, Grid, Scalar, Type
from envs_dsl.language.vocabulary import TAGS

__all__ = ["TABLES"]

_FAR = np.int32(2**31 - 1)


def _standing(m: Machine, node: Call) -> tuple[Any, Any]:
    """Where the rows of the first argument stand, int32[B, N, 2], and which are alive."""
    table = node.args[0]
    assert isinstance(table, TableName)
    return m.column(table.field, first_pos_column(m.tree, table.field)), m.column(
        table.field, "alive"
    )


def _occupied(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    pos, alive = _standing(m, node)
    seen = alive & m.board.inside(pos[..., 0], pos[..., 1])
    number = m.xp.where(seen, pos[..., 0] * np.int32(m.board.width) + pos[..., 1], np.int32(-1))
    cells = m.ops.mark_cells(number, m.board.height * m.board.width)
    return cells.reshape(-1, m.board.height, m.board.width)


def _any_at(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    pos, alive = _standing(m, node)
    here = (pos[..., 0] == values[0][:, None, 0]) & (pos[..., 1] == values[0][:, None, 1])
    return m.xp.any(here & alive, axis=1)


def _count_alive(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    table = node.args[0]
    assert isinstance(table, TableName)
    return m.xp.sum(m.column(table.field, "alive"), axis=1, dtype=np.int32)


def _count_within(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    pos, alive = _standing(m, node)
    near = chebyshev(m.kit, pos, values[0][:, None]) <= values[1][:, None]
    return m.xp.sum(near & alive, axis=1, dtype=np.int32)


def _nearest_dir(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    xp = m.xp
    pos, alive = _standing(m, node)
    gap = xp.where(alive, manhattan(m.kit, pos, values[0][:, None]), _FAR)
    rows = np.arange(pos.shape[1], dtype=np.int32)[None]
    nearest = alive & (gap == xp.min(gap, axis=1)[:, None])
    first = xp.min(xp.where(nearest, rows, np.int32(pos.shape[1])), axis=1)
    chosen = rows == first[:, None]
    goal = xp.sum(xp.where(chosen[..., None], pos, np.int32(0)), axis=1, dtype=np.int32)
    move = toward(m.kit, values[0], goal)
    return xp.where(first < np.int32(pos.shape[1]), move, np.int32(0))


def _tags(m: Machine, type_: Type, bit: int) -> list[bool]:
    """For each member of an enum, whether its look has a tag."""
    elem = type_.elem if isinstance(type_, Grid) else type_
    assert isinstance(elem, Scalar)
    enum: EnumDecl = m.tree.enum(elem.enum)
    return [TAGS[bit] in look.tags for look in enum.looks]


def _solid(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return lookup_bool(m.xp, _tags(m, node.args[0].type, TAGS.index("solid")), values[0])


def _tagged(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    tag = node.args[1]
    assert isinstance(tag, Const)
    return lookup_bool(m.xp, _tags(m, node.args[0].type, int(tag.value)), values[0])


def _try_move(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    pos, direction = values
    target = pos + deltas(m.kit, direction)
    free = m.board.inside(target[:, 0], target[:, 1])
    field = m.tree.board
    if field is not None:
        look = read_board(m.kit, m.env[("field", field.name)], target, field.outside)
        free = free & ~lookup_bool(m.xp, _tags(m, field.type, TAGS.index("solid")), look)
    return m.xp.where(free[:, None], target, pos)


TABLES: dict[str, Callable[..., Any]] = {
    "occupied": _occupied,
    "any_at": _any_at,
    "count_alive": _count_alive,
    "count_within": _count_within,
    "nearest_dir": _nearest_dir,
    "try_move": _try_move,
    "solid": _solid,
    "tagged": _tagged,
}
