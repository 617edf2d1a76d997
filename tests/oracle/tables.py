"""Builtins that look at the rows of a table, or at what stands on the board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Grid, TableRef

from .boards import Board
from .scalars import chebyshev, manhattan, moved, toward
from .values import element

__all__ = ["TABLES", "World"]

Pos = tuple[int, int]


class World(Protocol):
    """What they are told: the program, the fields of the state as they are now, the board."""

    tree: Tree
    fields: dict[str, Any]
    board: Board


def _standing(world: World, table: str) -> list[Pos]:
    """Where the rows in use stand, by their first Pos column."""
    declared = world.tree.field(table).type
    assert isinstance(declared, TableRef)
    columns = world.tree.row(declared.row_type).columns
    place = next((c.name for c in columns if element(c.type).kind == "Pos"), None)
    rows = world.fields[table]
    return [] if place is None else [row[place] for row in rows if row["alive"]]


def _occupied(world: World, table: str) -> Any:
    standing = _standing(world, table)
    return world.board.filled(lambda r, c: (r, c) in standing)


def _any_at(world: World, table: str, pos: Pos) -> bool:
    return pos in _standing(world, table)


def _count_alive(world: World, table: str) -> int:
    return sum(row["alive"] for row in world.fields[table])


def _count_within(world: World, table: str, pos: Pos, far: int) -> int:
    return sum(chebyshev(p, pos) <= far for p in _standing(world, table))


def _nearest_dir(world: World, table: str, pos: Pos) -> int:
    standing = _standing(world, table)
    return toward(pos, min(standing, key=lambda p: manhattan(p, pos))) if standing else 0


def _try_move(world: World, pos: Pos, direction: int) -> Pos:
    target = moved(pos, direction)
    if not world.board.inside(target):
        return pos
    for field in world.tree.fields:
        if isinstance(field.type, Grid) and field.type.elem.kind == "Enum":
            member = world.fields[field.name][target[0]][target[1]]
            looks = world.tree.enum(field.type.elem.enum).looks
            return pos if "solid" in looks[member].tags else target
    return target


TABLES: dict[str, Callable[..., Any]] = {
    "occupied": _occupied,
    "any_at": _any_at,
    "count_alive": _count_alive,
    "count_within": _count_within,
    "nearest_dir": _nearest_dir,
    "try_move": _try_move,
}
