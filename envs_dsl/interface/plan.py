"""What ``observe`` has to know of a program at every step, computed once; and where things are."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np

from envs_dsl.language import slots
from envs_dsl.language.slots import LookCode
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Game, Grid, Scalar
from envs_dsl.language.vocabulary import ACTIONS, COLORS, TAGS

__all__ = [
    "CellCode",
    "Place",
    "Plan",
    "board_centre",
    "kind_of",
    "place",
    "plan_of",
    "player_place",
    "quantise",
]

_NO_LOOKS = (
    LookCode(0, 0, 0),
    LookCode(COLORS.index("gray"), 0, 1 << TAGS.index("solid")),
)
"""What a board without looks shows: its cells, and what lies off it."""


@dataclasses.dataclass(frozen=True, slots=True)
class CellCode:
    """How what can vary in a cell of the window is packed into one unsigned number.

    From the lowest bit: the member whose look is shown, the Bool grid, the occupant, the leading
    column of a row standing there, the numeric grid. What this program does not have takes no bits.

    Attributes:
      look, flag, occupant, lead, number: bits of each part.
    """

    look: int
    flag: int
    occupant: int
    lead: int
    number: int

    @property
    def flag_at(self) -> int:
        return self.look

    @property
    def occupant_at(self) -> int:
        return self.look + self.flag

    @property
    def lead_at(self) -> int:
        return self.occupant_at + self.occupant

    @property
    def number_at(self) -> int:
        return self.lead_at + self.lead

    @property
    def bits(self) -> int:
        """Of the whole number; 0: the window never changes."""
        return self.number_at + self.number

    @property
    def dtype(self) -> type:
        return np.uint8 if self.bits <= 8 else np.uint16 if self.bits <= 16 else np.uint32


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """Slots, with the numbers that ``observe`` needs at every step as arrays.

    Attributes:
      looks: of each member of the enum grid; where there is none, of the board and of what lies
        off it. off_board: the member that is shown off the board.
      code: how a cell is packed. outside: what lies off the board, packed.
      moves: whether the window moves (it follows a player), else it stands on the board's middle.
      legal: bool[20].
      members: how many members each enum has.
      scales: (offset, factor) of a count or meter, by names of field and declaration.
    """

    game: Game
    slots: slots.Slots
    looks: tuple[LookCode, ...]
    off_board: int
    code: CellCode
    outside: int
    moves: bool
    legal: np.ndarray
    members: dict[str, int]
    scales: dict[tuple[str, str], tuple[float, float]]


def plan_of(tree: Tree) -> Plan:
    """The plan of a program; programs of one skeleton share it."""
    return _make_plan(tree.game, tree.enums, tree.rows, tree.fields)


@functools.lru_cache(maxsize=1024)
def _make_plan(game: Game, enums: Any, rows: Any, fields: Any) -> Plan:
    found = slots.layout(Tree(game, (), enums, rows, fields, (), (), ()))
    members = {enum.name: len(enum.members) for enum in enums}
    moves = found.player is not None and game.camera == "player"
    looks = found.codes if found.looks is not None else _NO_LOOKS
    off_board = int(found.looks.outside) if found.looks is not None else 1
    code = _code(game, found, len(looks), moves)
    outside = off_board if code.look else 0
    if found.flags is not None and found.flags.outside:
        outside |= 1 << code.flag_at
    if found.numbers is not None:
        off = quantise(np, found.numbers, np.asarray([found.numbers.outside]), 255)
        outside |= int(np.clip(off[0], 0, 255)) << code.number_at
    legal = np.zeros(len(ACTIONS), bool)
    legal[list(game.actions)] = True
    scales = {
        (value.field.name, value.declared.name): _scale(value.declared, members)
        for value in found.values
        if value.group in ("count", "meter")
    }
    return Plan(game, found, looks, off_board, code, outside, moves, legal, members, scales)


def _code(game: Game, found: slots.Slots, looks: int, moves: bool) -> CellCode:
    alone = found.player is None or (moves and not (found.player.players and game.players > 1))
    stands = bool(found.tables or found.things) or not alone
    leads = any(table.leading is not None for table in found.tables)
    return CellCode(
        look=(looks - 1).bit_length() if found.looks is not None or moves else 0,
        flag=int(found.flags is not None),
        occupant=3 if stands else 0,
        lead=7 if leads else 0,
        number=8 if found.numbers is not None else 0,
    )


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
