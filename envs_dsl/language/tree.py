"""The typed tree: what a checked program *is*. Back ends, cost and hashes read nothing else.

Every name is resolved, every helper call is inlined as an ``Inline`` node, augmented assignments
are plain ones, and int → float widenings are explicit ``to_float`` calls. Nodes are frozen; an
expression carries its (erased) type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from typing import Literal as OneOf

from envs_dsl.language.types import EnumDecl, Field, Game, Grid, Param, RowDecl, Scalar, Type

__all__ = [
    "Act",
    "Assign",
    "Block",
    "Break",
    "Call",
    "Clock",
    "Column",
    "Component",
    "Const",
    "Continue",
    "Effect",
    "Element",
    "Expr",
    "FieldRef",
    "For",
    "If",
    "Inline",
    "Kill",
    "Literal",
    "LocalRef",
    "LocalTarget",
    "Painted",
    "ParamRef",
    "Place",
    "Return",
    "Spawn",
    "Stmt",
    "Swap",
    "TableName",
    "Target",
    "Tree",
    "Turn",
    "board_of",
    "children",
    "walk",
]


# --- expressions ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Const:
    """A structural constant: Bool, enum code, Dir code, or an Int that shapes the program."""

    value: bool | int
    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Literal:
    """A number hoisted to a run-time argument; ``canonical`` numbers ``slot`` (−1 before)."""

    value: int | float
    type: Scalar  # INT or FLOAT
    slot: int = -1


@dataclasses.dataclass(frozen=True, slots=True)
class Painted:
    """``paint(LAYOUT)``: a grid of enum codes in reading order, hoisted as that many Int literals.

    ``canonical`` gives the cells consecutive Int slots, the first of which is ``slot``.
    """

    cells: tuple[int, ...]
    type: Grid
    slot: int = -1


@dataclasses.dataclass(frozen=True, slots=True)
class ParamRef:
    """``params[index]`` of the level being played (INT ones are rounded)."""

    index: int
    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class LocalRef:
    """A local variable, loop variable or helper parameter."""

    name: str
    type: Type


@dataclasses.dataclass(frozen=True, slots=True)
class FieldRef:
    """A whole field of the state: a scalar, a Grid or an Array."""

    field: str
    type: Type


@dataclasses.dataclass(frozen=True, slots=True)
class TableName:
    """A table as an argument of a table builtin (``occupied(s.bats)``)."""

    field: str
    type: Type


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """``base[index]``: a Grid at a Pos, an Array at an Int or enum code.

    Off the board a grid that is a field reads the field's ``outside``; any other grid reads the
    type's zero. An array index out of range reads the type's zero.
    """

    base: Expr
    index: Expr
    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """``row.column`` for the row variable ``row`` of ``table`` (``column`` may be "alive")."""

    table: str
    row: str
    column: str
    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Component:
    """Pos ``.row`` (0) ``.col`` (1); Vec2 ``.x`` (0) ``.y`` (1)."""

    base: Expr
    axis: int
    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """An operator or pure builtin of the table. ``site`` numbers draws (−1: none drawn)."""

    op: str
    args: tuple[Expr, ...]
    type: Type
    site: int = -1


@dataclasses.dataclass(frozen=True, slots=True)
class Inline:
    """A helper call, inlined: bind ``params`` to values, run ``body``, take its ``Return``.

    Locals of the body live in a scope of their own; names are already distinct per call.
    """

    helper: str
    params: tuple[tuple[str, Expr], ...]
    body: Block
    type: Type


@dataclasses.dataclass(frozen=True, slots=True)
class Act:
    """The action of a seat: ``verb`` None is ``act.move`` (a Dir), else "this verb was chosen".

    ``verb`` is an index into the 20 actions. ``seat`` None is seat 0; where turns alternate, it is
    ``Turn``.
    """

    verb: int | None
    seat: Expr | None
    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Clock:
    """``s.t``: completed steps (0 in the first ``step`` and in ``reset``)."""

    type: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Turn:
    """``s.turn``: the seat whose turn it is, where turns alternate."""

    type: Scalar


Expr = (
    Const
    | Literal
    | Painted
    | ParamRef
    | LocalRef
    | FieldRef
    | TableName
    | Element
    | Column
    | Component
    | Call
    | Inline
    | Act
    | Clock
    | Turn
)


# --- statements -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class LocalTarget:
    """Assign to a local (no saturation)."""

    name: str
    type: Type


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Assign to state: ``s.field``, ``s.field[index]``, ``row.column``, each with ``.component``.

    Saturates to the declared range. Stores off the board or out of range drop.
    """

    field: str
    type: Type
    index: Expr | None = None
    row: str | None = None
    column: str | None = None
    component: int | None = None


Target = LocalTarget | Place


@dataclasses.dataclass(frozen=True, slots=True)
class Assign:
    target: Target
    value: Expr


@dataclasses.dataclass(frozen=True, slots=True)
class If:
    test: Expr
    then: Block
    orelse: Block


@dataclasses.dataclass(frozen=True, slots=True)
class For:
    """A loop of ``count`` trips, in order. The value of ``var`` in trip i:

    - "range": Int ``start + i * step``
    - "dirs": the Dir code ``start + i`` (start 1; count 4 or 8)
    - "players": Int i
    - "enum": enum code i
    - "table": row i of ``table``; the trip is masked by "alive at the loop's start and still alive"
    """

    kind: OneOf["range", "dirs", "players", "enum", "table"]
    var: str
    var_type: Type
    count: int
    body: Block
    start: int = 0
    step: int = 1
    table: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclasses.dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclasses.dataclass(frozen=True, slots=True)
class Return:
    """Of ``reset``/``step`` (value None), or of the innermost ``Inline``."""

    value: Expr | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Effect:
    """``reward(x[, seat])``, ``win([seat])``, ``lose()``, ``draw()``, ``again()``; in ``view``
    disc, ring, bar.

    ``color`` of view effects: a colour index, or None when the last argument is a seat (Int).
    """

    op: OneOf["reward", "win", "lose", "draw", "again", "disc", "ring", "bar"]
    args: tuple[Expr, ...]
    seat: Expr | None = None
    color: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Spawn:
    """Fill the lowest free row of ``table``; other columns take their ``init``; ``ok``: did it."""

    table: str
    columns: tuple[tuple[str, Expr], ...]
    ok: Target | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Kill:
    """Zero the row bound to ``row`` (alive becomes False)."""

    table: str
    row: str


@dataclasses.dataclass(frozen=True, slots=True)
class Swap:
    """Exchange two cells of a grid field; nothing happens when either lies off the board."""

    field: str
    first: Expr
    second: Expr


Stmt = Assign | If | For | Break | Continue | Return | Effect | Spawn | Kill | Swap
Block = tuple[Stmt, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Tree:
    """A whole checked program."""

    game: Game
    params: tuple[Param, ...]
    enums: tuple[EnumDecl, ...]
    rows: tuple[RowDecl, ...]
    fields: tuple[Field, ...]
    reset: Block
    step: Block
    view: Block
    contest: bool = False

    def enum(self, name: str) -> EnumDecl:
        return next(e for e in self.enums if e.name == name)

    def row(self, name: str) -> RowDecl:
        return next(r for r in self.rows if r.name == name)

    def field(self, name: str) -> Field:
        return next(f for f in self.fields if f.name == name)

    @property
    def board(self) -> Field | None:
        """The first grid of looks, hidden or not: ``try_move`` reads it without naming it."""
        return board_of(self.fields)


def board_of(fields: Iterable[Field]) -> Field | None:
    """The first grid of looks among ``fields``."""
    for field in fields:
        if isinstance(field.type, Grid) and field.type.elem.kind == "Enum":
            return field
    return None


def children(node: object) -> tuple[object, ...]:
    """Direct sub-nodes (expressions, targets and statements) of a node, left to right."""
    found = _CHILDREN.get(type(node))
    return () if found is None else found(node)


def walk(block: Iterable[object]) -> Iterator[object]:
    """Every node below, parents first, in source order."""
    stack = list(block)[::-1]
    while stack:
        node = stack.pop()
        yield node
        below = children(node)
        if below:
            stack += below[::-1]


_CHILDREN: dict[type, Callable[[Any], tuple[object, ...]]] = {
    Element: lambda n: (n.base, n.index),
    Component: lambda n: (n.base,),
    Call: lambda n: n.args,
    Inline: lambda n: (*(value for _, value in n.params), *n.body),
    Act: lambda n: () if n.seat is None else (n.seat,),
    Place: lambda n: () if n.index is None else (n.index,),
    Assign: lambda n: (n.value, n.target),
    If: lambda n: (n.test, *n.then, *n.orelse),
    For: lambda n: n.body,
    Return: lambda n: () if n.value is None else (n.value,),
    Effect: lambda n: n.args if n.seat is None else (*n.args, n.seat),
    Spawn: lambda n: (*(value for _, value in n.columns), *(() if n.ok is None else (n.ok,))),
    Swap: lambda n: (n.first, n.second),
}
