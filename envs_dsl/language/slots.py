"""Where each visible field lands in the observation: a fixed number of slots a kind, pure data.

The observation has one shape for all programs (see ``envs_dsl.interface``). What lies outside the
grids goes to the hud, grouped by kind, so that a slot means the same kind of thing everywhere:

- *flags*: Bool. *Counts*: Int and enums. *Meters*: Float, and Vec2 that measure a motion (2 slots).
- *bearings* (three numbers each): where something is, relative to the player. The first is the
  player's own place on the board; then the other seats; then Dir fields, other places (Pos, and
  Vec2 whose range spans at least half the board's shorter side), then table rows.

A program that does not fit is refused (``check_room``) with the message of ``overflow``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal, NamedTuple

from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, EnumDecl, Field, Grid, RowDecl, Scalar, TableRef
from envs_dsl.language.vocabulary import COLORS, TAGS

__all__ = [
    "CAPACITY",
    "LookCode",
    "Overflow",
    "Slots",
    "TableSlots",
    "Value",
    "check_room",
    "is_place",
    "layout",
    "look_codes",
    "overflow",
]

Group = Literal["flag", "count", "meter", "bearing"]

CAPACITY: dict[Group, int] = {"flag": 16, "count": 24, "meter": 16, "bearing": 24}
"""Slots a group; a bearing slot holds three numbers."""

VARIANTS = 4
GRID_NUMBERS = 256
OCCUPANTS = 8

ALIVE = Field("alive", Scalar("Bool"))
"""The implicit column of a table, shown as a flag where no bearing says which rows are alive."""


class LookCode(NamedTuple):
    """What a cell shows of an enum member: colour index, variant 0–3, one bit a tag."""

    color: int
    variant: int
    tags: int


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """A visible field, an array or a table column, and its slots.

    Attributes:
      group: which group of the hud.
      field: the field of ``State``. column: the column, when the field is a table.
      first: its first slot in the group. count: values (entries, seats or rows; 1 for a scalar).
      width: slots a value (2 for a Vec2 among the meters, else 1).
    """

    group: Group
    field: Field
    column: Field | None
    first: int
    count: int
    width: int = 1

    @property
    def declared(self) -> Field:
        """The declaration that holds the type and range of the values."""
        return self.field if self.column is None else self.column


@dataclasses.dataclass(frozen=True, slots=True)
class TableSlots:
    """A table that stands on the board.

    Attributes:
      field: the table. place: its first visible column that is a place.
      leading: the first other visible column, shown in the cell; None when there is none.
      occupant: 3 for the first such table, then 4, 5, 6; 7 for all further ones.
    """

    field: Field
    place: Field
    leading: Field | None
    occupant: int


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    """Everything the interface has to know of a program.

    Attributes:
      player: the field that says where the player is; None puts the player at the board's centre.
      values: hud values, in order of group and slot (the player's own bearing is not listed).
      things: places that are not the player, shown in cells as occupant 7.
      tables: tables shown in cells.
      looks, flags, numbers: the enum, Bool and numeric grid, None where there is none.
      codes: look of each member of the grid's enum, in order.
    """

    player: Field | None
    values: tuple[Value, ...]
    things: tuple[Field, ...]
    tables: tuple[TableSlots, ...]
    looks: Field | None
    flags: Field | None
    numbers: Field | None
    codes: tuple[LookCode, ...]


class Overflow(NamedTuple):
    """Why a program does not fit, and the field that was one too many."""

    message: str
    field: str


def is_place(declared: Field, size: tuple[int, int]) -> bool:
    """Whether a field (or column) says where something is: Pos, or a Vec2 that spans the board."""
    element = _element(declared)
    if element is None or element.kind not in ("Pos", "Vec2"):
        return False
    if element.kind == "Pos":
        return True
    return declared.range is None or declared.range.hi - declared.range.lo >= min(size) / 2


def look_codes(enum: EnumDecl) -> tuple[LookCode, ...]:
    """Look of each member. Members of equal colour and tags are told apart by their variant."""
    seen: dict[tuple[str, frozenset[str]], int] = {}
    codes = []
    for look in enum.looks:
        key = (look.color, frozenset(look.tags))
        variant = seen.get(key, 0)
        seen[key] = variant + 1
        bits = sum(1 << TAGS.index(tag) for tag in set(look.tags))
        codes.append(LookCode(COLORS.index(look.color), variant, bits))
    return tuple(codes)


def layout(tree: Tree) -> Slots:
    """The slots of a program's fields.

    Raises:
      ValueError: the program does not fit (``overflow`` says so without raising).
    """
    problem = overflow(tree)
    if problem is not None:
        raise ValueError(problem.message)
    player = _player(tree)
    values = _values(tree, player)
    return Slots(
        player=player,
        values=tuple(sorted(values, key=lambda v: (list(CAPACITY).index(v.group), v.first))),
        things=tuple(
            field
            for field in _visible(tree)
            if field is not player
            and isinstance(field.type, Scalar | Array)
            and is_place(field, tree.game.size)
        ),
        tables=_tables(tree),
        looks=_grid(tree, "Enum"),
        flags=_grid(tree, "Bool"),
        numbers=_grid(tree, "Int", "Float"),
        codes=_codes(tree),
    )


def check_room(tree: Tree, lines: Mapping[str, int], out: Diagnostics) -> None:
    """E403 where the program does not fit the observation; ``lines``: of the declared names."""
    found = overflow(tree)
    if found is not None:
        start = lines.get("State", 1)
        line = next((f.line for f in tree.fields if f.name == found.field), start)
        out.add("E403", (line, 5), found.message, "hide fields with Hidden(...), or use fewer")


def overflow(tree: Tree) -> Overflow | None:
    """The first thing that does not fit the observation, or None. Never raises."""
    grids: dict[str, Field] = {}
    for field in _visible(tree):
        if not isinstance(field.type, Grid):
            continue
        kind = field.type.elem.kind
        name = "numeric" if kind in ("Int", "Float") else "Bool" if kind == "Bool" else "enum"
        if kind in ("Pos", "Dir", "Vec2"):
            return Overflow(f"a Grid({kind}) has no place in the observation: hide it", field.name)
        if name in grids:
            other = grids[name].name
            return Overflow(
                f"one {name} grid is observed and that is `{other}`: hide `{field.name}`",
                field.name,
            )
        grids[name] = field
        if kind == "Int" and field.range and field.range.hi - field.range.lo >= GRID_NUMBERS:
            return Overflow(
                f"a grid shows at most {GRID_NUMBERS} values: narrow the range of `{field.name}`",
                field.name,
            )
        if kind == "Enum":
            enum = tree.enum(field.type.elem.enum)
            for member, code in zip(enum.members, look_codes(enum)):
                if code.variant >= VARIANTS:
                    return Overflow(
                        f"more than {VARIANTS} looks of `{enum.name}` share colour and tags with "
                        f"`{member}`: change a colour",
                        field.name,
                    )
    return _overfull(tree)


def _overfull(tree: Tree) -> Overflow | None:
    used = dict.fromkeys(CAPACITY, 0)
    used["bearing"] = 1
    for value in _values(tree, _player(tree)):
        need = value.count * value.width
        room = CAPACITY[value.group]
        if used[value.group] + need > room:
            name = value.field.name + (f".{value.column.name}" if value.column else "")
            return Overflow(
                f"`{name}` needs {need} {value.group} slots of the observation and "
                f"{room - used[value.group]} of {room} are left: make it smaller or hide it",
                value.field.name,
            )
        used[value.group] += need
    return None


def _values(tree: Tree, player: Field | None) -> list[Value]:
    """Values in order of slots within each group, whether or not they fit."""
    found: list[tuple[Group, Field, Field | None, int, int]] = []
    size = tree.game.size
    rank: list[int] = []
    for field in _visible(tree):
        if isinstance(field.type, Grid):
            continue
        if isinstance(field.type, TableRef):
            columns = [c for c in tree.row(field.type.row_type).columns if not c.hidden]
            if not any(_kind(c, size)[0] == "bearing" for c in columns):
                columns = [ALIVE, *columns]  # a bearing says by itself which rows are alive
            for column in columns:
                group, width = _kind(column, size)
                found.append((group, field, column, field.capacity, width))
                rank.append(3)
            continue
        group, width = _kind(field, size)
        count = field.type.length if isinstance(field.type, Array) else 1
        if field is player:
            group, width = "bearing", 1
            count = tree.game.players - 1 if field.players else 0
        element = _element(field)
        assert element is not None
        found.append((group, field, None, count, width))
        rank.append(0 if field is player else 1 if element.kind == "Dir" else 2)
    used = dict.fromkeys(CAPACITY, 0)
    used["bearing"] = 1  # the player's own place
    values = []
    order = sorted(range(len(found)), key=lambda i: (rank[i] if found[i][0] == "bearing" else 0, i))
    for i in order:
        group, owner, part, count, width = found[i]
        if count:
            values.append(Value(group, owner, part, used[group], count, width))
            used[group] += count * width
    return values


def _kind(declared: Field, size: tuple[int, int]) -> tuple[Group, int]:
    element = _element(declared)
    assert element is not None
    if element.kind == "Bool":
        return "flag", 1
    if element.kind in ("Int", "Enum"):
        return "count", 1
    if element.kind == "Float":
        return "meter", 1
    if element.kind == "Vec2" and not is_place(declared, size):
        return "meter", 2
    return "bearing", 1


def _element(declared: Field) -> Scalar | None:
    match declared.type:
        case Scalar():
            return declared.type
        case Array(elem=elem):
            return elem
    return None


def _visible(tree: Tree) -> list[Field]:
    return [field for field in tree.fields if not field.hidden]


def _player(tree: Tree) -> Field | None:
    """The first visible Pos, Vec2 or Players of those (a hidden one must not steer the view)."""
    for field in _visible(tree):
        element = _element(field)
        single = isinstance(field.type, Scalar) or field.players
        if single and element is not None and element.kind in ("Pos", "Vec2"):
            return field
    return None


def _tables(tree: Tree) -> tuple[TableSlots, ...]:
    tables: list[TableSlots] = []
    for field in _visible(tree):
        if not isinstance(field.type, TableRef):
            continue
        row: RowDecl = tree.row(field.type.row_type)
        columns = [c for c in row.columns if not c.hidden]
        place = next((c for c in columns if is_place(c, tree.game.size)), None)
        if place is not None:
            leading = next((c for c in columns if c is not place), None)
            occupant = min(3 + len(tables), OCCUPANTS - 1)
            tables.append(TableSlots(field, place, leading, occupant))
    return tuple(tables)


def _grid(tree: Tree, *kinds: str) -> Field | None:
    for field in _visible(tree):
        if isinstance(field.type, Grid) and field.type.elem.kind in kinds:
            return field
    return None


def _codes(tree: Tree) -> tuple[LookCode, ...]:
    looks = _grid(tree, "Enum")
    if looks is None:
        return ()
    assert isinstance(looks.type, Grid)
    return look_codes(tree.enum(looks.type.elem.enum))
