"""Types of the language: what a value is (erased), and how a field is declared (with its range)."""

from __future__ import annotations

import dataclasses
from typing import Literal

from envs_dsl.language.vocabulary import ACTIONS, MOVES

__all__ = [
    "BOOL",
    "DIR",
    "FLOAT",
    "INT",
    "POISON",
    "POS",
    "VEC2",
    "Array",
    "EnumDecl",
    "Field",
    "Game",
    "Grid",
    "Look",
    "Param",
    "Range",
    "RowDecl",
    "Scalar",
    "TableRef",
    "Type",
    "enum_type",
    "show",
]

Kind = Literal["Bool", "Int", "Float", "Enum", "Pos", "Dir", "Vec2", "Poison"]


@dataclasses.dataclass(frozen=True, slots=True)
class Scalar:
    """One value: Bool, Int (int32), Float (float32), an enum, Pos (row, col), Dir or Vec2."""

    kind: Kind
    enum: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Grid:
    """One ``elem`` for every cell of the board."""

    elem: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Array:
    """``length`` values; indexed by Int, or by the enum ``index`` when that is not empty."""

    elem: Scalar
    length: int
    index: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class TableRef:
    """A whole table, or one row of it when ``row``: only usable in loops and table builtins."""

    row_type: str
    row: bool = False


Type = Scalar | Grid | Array | TableRef

BOOL = Scalar("Bool")
INT = Scalar("Int")
FLOAT = Scalar("Float")
POS = Scalar("Pos")
DIR = Scalar("Dir")
VEC2 = Scalar("Vec2")
POISON = Scalar("Poison")
"""The type of an expression already reported: it fits everywhere, so one fault is told once."""


def enum_type(name: str) -> Scalar:
    """The type whose values are the members of the enum ``name``."""
    return Scalar("Enum", name)


def show(type_: Type) -> str:
    """A type as its user writes it."""
    match type_:
        case Scalar(kind="Enum", enum=name):
            return name
        case Scalar(kind=kind):
            return kind
        case Grid(elem=elem):
            return f"Grid({show(elem)})"
        case Array(elem=elem, length=length, index=index):
            return f"Array({show(elem)}, {index or length})"
        case TableRef(row_type=name, row=row):
            return name if row else f"Table({name})"


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """Bounds to which a store saturates (``lo <= value <= hi``); Int, Float and Vec2 only."""

    lo: float
    hi: float


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """How an enum member looks: glyph for text, colour name for pictures, tags for the learner."""

    glyph: str
    color: str
    tags: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class EnumDecl:
    """An enum of looks. ``members[i]`` has code ``i``; code 0 is the enum's zero."""

    name: str
    members: tuple[str, ...]
    looks: tuple[Look, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One field of ``State``, or one column of a row.

    Attributes:
      type: Scalar, Grid, Array, or TableRef (not a row).
      range: for Int, Float and Vec2 (also inside Grid and Array).
      init: a plain value: bool, int (Int, enum code, Dir code), float, or a pair (Pos, Vec2).
      outside: what a grid reads off the board (same form as ``init``).
      hidden: never observed.
      players: an Array indexed by seat.
      capacity: rows of a table.
    """

    name: str
    type: Type
    range: Range | None = None
    init: bool | int | float | tuple[float, float] = 0
    outside: bool | int | float = 0
    hidden: bool = False
    players: bool = False
    capacity: int = 0
    line: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class RowDecl:
    """The columns of a table's rows (scalars only); ``alive`` is implicit."""

    name: str
    columns: tuple[Field, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Param:
    """A numeric parameter, moved between ``low`` and ``high`` to change the difficulty."""

    name: str
    value: float
    low: float
    high: float
    harder: Literal["up", "down"] | None = None
    is_int: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Game:
    """The ``Game(...)`` header: board ``size`` (rows, cols), step limit, seats, verbs, skills.

    ``camera`` says on what the observed window is centred: the player, or the middle of the board.
    """

    size: tuple[int, int]
    max_steps: int
    players: int = 1
    turns: Literal["simultaneous", "alternate"] = "simultaneous"
    verbs: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    camera: Literal["player", "board"] = "player"

    @property
    def actions(self) -> tuple[int, ...]:
        """Numbers of the actions that the program has: the moves, then its verbs."""
        return (*range(len(MOVES)), *(ACTIONS.index(verb) for verb in self.verbs))
