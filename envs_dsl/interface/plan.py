"""What ``observe`` has to know of a program at every step, computed once; and where things are."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np

from envs_dsl.language import slots
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Game, Grid, Scalar
from envs_dsl.language.vocabulary import ACTIONS, COLORS, TAGS

__all__ = [
    "Place",
    "Plan",
    "board_centre",
    "kind_of",
    "make_plan",
    "place",
    "player_place",
    "quantise",
]

_NO_LOOKS_OUTSIDE = slots.LookCode(COLORS.index("gray"), 0, 1 << TAGS.index("solid"))


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """Slots, with the numbers that ``observe`` needs at every step as arrays.

    Attributes:
      palette: int32[members], a look as ``color | variant << 4 | tags << 6``.
      outside: what lies off the board, packed like a cell (``cells.pack_board``).
      legal: bool[20].
      members: how many members each enum has.
      scales: (offset, factor) of a count or meter, by names of field and declaration.
    """

    game: Game
    slots: slots.Slots
    palette: np.ndarray
    outside: int
    legal: np.ndarray
    members: dict[str, int]
    scales: dict[tuple[str, str], tuple[float, float]]


@functools.lru_cache(maxsize=1024)
def make_plan(game: Game, enums: Any, rows: Any, fields: Any) -> Plan:
    found = slots.layout(Tree(game, (), enums, rows, fields, (), (), ()))
    members = {enum.name: len(enum.members) for enum in enums}
    looks = [code.color | code.variant << 4 | code.tags << 6 for code in found.codes] or [0]
    if found.looks is None:
        outside = _NO_LOOKS_OUTSIDE.color | _NO_LOOKS_OUTSIDE.tags << 6
    else:
        outside = looks[int(found.looks.outside)]
    if found.flags is not None and found.flags.outside:
        outside |= 1 << 14
    if found.numbers is not None:
        off = quantise(np, found.numbers, np.asarray([found.numbers.outside]), 255)
        outside |= int(np.clip(off[0], 0, 255)) << 15
    legal = np.zeros(len(ACTIONS), bool)
    legal[list(game.actions)] = True
    scales = {
        (value.field.name, value.declared.name): _scale(value.declared, members)
        for value in found.values
        if value.group in ("count", "meter")
    }
    return Plan(game, found, np.asarray(looks, np.int32), outside, legal, members, scales)


def _scale(declared: Field, members: dict[str, int]) -> tuple[float, float]:
    """(offset, factor): ``(value - offset) * factor`` lies in [0, 1], or in [−1, 1] around 0."""
    element = declared.type if isinstance(declared.type, Scalar) else declared.type.elem  # type: ignore[union-attr]
    if element.kind == "Enum":
        return 0.0, 1.0 / max(1, members[element.enum] - 1)
    if declared.range is None:
        return 0.0, 1.0
    # as the values are held: a narrow range far from 0 is another one in 32 bits
    lo, hi = float(np.float32(declared.range.lo)), float(np.float32(declared.range.hi))
    if lo >= 0:
        return float(lo), 1.0 / (hi - lo) if hi > lo else 1.0
    return 0.0, 1.0 / max(-lo, hi, 1e-9)


def quantise(xp: Any, declared: Field, value: Any, top: int) -> Any:
    """A number of a declared range as int32 in 0..top, to the nearest step (halves up)."""
    bounds = declared.range
    if bounds is None or bounds.hi <= bounds.lo:
        return xp.zeros(value.shape, xp.int32)
    span = bounds.hi - bounds.lo
    if kind_of(declared) == "Int" and span < 1 << 22:  # exact, the same in both array modules
        steps = (value - np.int32(bounds.lo)) * np.int32(2 * top) + np.int32(span)
        return steps // np.int32(2 * span)
    scaled = (value.astype(xp.float32) - np.float32(bounds.lo)) * np.float32(top / span)
    return xp.clip(xp.floor(scaled + np.float32(0.5)), 0, top).astype(xp.int32)


def kind_of(declared: Field) -> str:
    type_ = declared.type
    return type_.elem.kind if isinstance(type_, Array | Grid) else type_.kind  # type: ignore[union-attr]


class Place(NamedTuple):
    """Where something is: its cell int32[B, 2] and its exact (row, col) float32[B, 2]."""

    cell: Any
    exact: Any


def place(xp: Any, game: Game, kind: str, value: Any) -> Place:
    """A Pos (int32[..., 2]) or Vec2 (float32[..., 2]: x, y from the centre) as a place."""
    if kind == "Pos":
        return Place(value, value.astype(xp.float32))
    middle = np.asarray([game.size[0] / 2, game.size[1] / 2], np.float32)
    point = value[..., ::-1] + middle
    return Place(xp.floor(point).astype(xp.int32), point - np.float32(0.5))


def board_centre(xp: Any, plan: Plan, state: Any) -> Place:
    """The cell (H // 2, W // 2), for every copy."""
    rows, cols = plan.game.size
    ones = xp.ones((state.t.shape[0], 1), xp.int32)
    cell = ones * np.asarray([rows // 2, cols // 2], np.int32)
    return Place(cell, cell.astype(xp.float32))


def player_place(xp: Any, plan: Plan, state: Any, seat: int) -> Place:
    field = plan.slots.player
    if field is None:
        return board_centre(xp, plan, state)
    value = state.fields[field.name]
    if field.players:
        value = value[:, seat]
    return place(xp, plan.game, kind_of(field), value)
