"""What a seat sees, one number at a time: the rules R-OBS of the reference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Grid, Scalar, TableRef
from envs_dsl.language.vocabulary import ACTIONS, COLORS, DIR_DELTAS, TAGS

from .boards import BOARDS, Board
from .episode import State
from .numbers import rounded
from .values import element

__all__ = ["observation"]

WINDOW = 9
ROOM = {"flag": 16, "count": 24, "meter": 16, "bearing": 24}

Cell = tuple[int, int]
Place = tuple[float, float]


def observation(tree: Tree, state: State, seat: int) -> tuple[list[Any], list[float], list[bool]]:
    """cells[9][9][6], hud[152], legal[20] of a seat."""
    scene = _Scene(tree, state, seat)
    return scene.cells(), scene.hud(), scene.legal()


class _Scene:
    """One state, as a seat sees it."""

    def __init__(self, tree: Tree, state: State, seat: int) -> None:
        self.tree, self.state, self.seat = tree, state, seat
        self.rows, self.cols = tree.game.size
        self.fields = [field for field in tree.fields if not field.hidden]
        self.player = next((field for field in self.fields if self._may_be_player(field)), None)
        self.me: Any = None
        if self.player is not None:
            self.me = state.fields[self.player.name]
            self.me = self.me[seat] if self.player.players else self.me

    @staticmethod
    def _may_be_player(field: Field) -> bool:
        single = isinstance(field.type, Scalar) or field.players
        return single and element(field.type).kind in ("Pos", "Vec2")

    # --- places ---

    def _is_place(self, declared: Field) -> bool:
        kind = element(declared.type).kind
        if kind != "Vec2":
            return kind == "Pos"
        assert declared.range is not None
        return declared.range.hi - declared.range.lo >= min(self.rows, self.cols) / 2

    def _exact(self, declared: Field, value: Any) -> Place:
        if element(declared.type).kind == "Pos":
            return value
        y, x = rounded(value[1] + self.rows / 2), rounded(value[0] + self.cols / 2)
        return (rounded(y - 0.5), rounded(x - 0.5))

    def _cell(self, declared: Field, value: Any) -> Cell:
        if element(declared.type).kind == "Pos":
            return value
        return BOARDS["cell"](Board((self.rows, self.cols)), value)

    def _centre(self) -> Cell:
        return (self.rows // 2, self.cols // 2)

    def _own(self) -> Place:
        return self._centre() if self.player is None else self._exact(self.player, self.me)

    # --- cells ---

    def cells(self) -> list[Any]:
        middle = self._centre()
        if self.player is not None and self.tree.game.camera == "player":
            middle = self._cell(self.player, self.me)
        half = WINDOW // 2
        return [
            [self._seen((middle[0] + r - half, middle[1] + c - half)) for c in range(WINDOW)]
            for r in range(WINDOW)
        ]

    def _seen(self, cell: Cell) -> list[int]:
        color, variant, tags = self._look(cell)
        who, lead = self._occupant(cell)
        flags, numbers = self._grid("Bool"), self._grid("Int", "Float")
        lit = 0 if flags is None else 128 * self._at(flags, cell)
        number = 0 if numbers is None else self._scaled(numbers, self._at(numbers, cell), 255)
        return [color, variant, tags, who, lead + lit, number]

    def _grid(self, *kinds: str) -> Field | None:
        found = (f for f in self.fields if isinstance(f.type, Grid) and f.type.elem.kind in kinds)
        return next(found, None)

    def _at(self, grid: Field, cell: Cell) -> Any:
        row, col = cell
        if 0 <= row < self.rows and 0 <= col < self.cols:
            return self.state.fields[grid.name][row][col]
        return grid.outside

    def _look(self, cell: Cell) -> tuple[int, int, int]:
        grid = self._grid("Enum")
        if grid is None:
            inside = 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols
            return (0, 0, 0) if inside else (COLORS.index("gray"), 0, 1 << TAGS.index("solid"))
        looks = self.tree.enum(element(grid.type).enum).looks
        member = int(self._at(grid, cell))
        alike = [(look.color, set(look.tags)) for look in looks]
        color, tags = alike[member]
        bits = sum(1 << TAGS.index(tag) for tag in tags)
        return (COLORS.index(color), alike[:member].count((color, tags)), bits)

    def _occupant(self, cell: Cell) -> tuple[int, int]:
        """Who stands in a cell, and the number that is shown of it."""
        if self.player is not None and self._cell(self.player, self.me) == cell:
            return (1, 0)
        if self.player is not None and self.player.players:
            all_ = self.state.fields[self.player.name]
            if any(self._cell(self.player, place) == cell for place in all_):
                return (2, 0)
        number = 3
        for table in self.fields:
            place = next((c for c in self._columns(table) if self._is_place(c)), None)
            if place is None:
                continue
            for row in self.state.fields[table.name]:
                if row["alive"] and self._cell(place, row[place.name]) == cell:
                    lead = next((c for c in self._columns(table) if c is not place), None)
                    shown = 0 if lead is None else self._scaled(lead, row[lead.name], 127)
                    return (min(number, 7), shown)
            number += 1
        for field in self.fields:
            if field is self.player or isinstance(field.type, Grid | TableRef):
                continue
            value = self.state.fields[field.name]
            values = value if isinstance(field.type, Array) else [value]
            if self._is_place(field) and any(self._cell(field, v) == cell for v in values):
                return (7, 0)
        return (0, 0)

    def _columns(self, field: Field) -> list[Field]:
        if not isinstance(field.type, TableRef):
            return []
        return [c for c in self.tree.row(field.type.row_type).columns if not c.hidden]

    def _scaled(self, declared: Field, value: Any, most: int) -> int:
        kind = element(declared.type).kind
        if kind == "Bool":
            return most * value
        if kind == "Dir":
            return value * most // 8
        if kind == "Enum":
            return value * most // max(1, self._last(declared))
        if kind not in ("Int", "Float"):
            return 0
        assert declared.range is not None
        low, high = declared.range.lo, declared.range.hi
        return math.floor((value - low) / (high - low) * most + 0.5)

    def _last(self, declared: Field) -> int:
        return len(self.tree.enum(element(declared.type).enum).members) - 1

    # --- hud ---

    def hud(self) -> list[float]:
        state, game = self.state, self.tree.game
        hud = [state.t / game.max_steps, state.total[self.seat]]
        hud += [float(state.last_action[self.seat] == i) for i in range(len(ACTIONS))]
        hud += [state.last_reward[self.seat], self.seat / max(1, game.players - 1)]
        for group, room in ROOM.items():
            slots = self._bearings() if group == "bearing" else list(self._numbers(group))
            width = 3 if group == "bearing" else 1
            hud += slots + [0.0] * (room * width - len(slots))
        return hud

    def _numbers(self, group: str) -> Iterator[float]:
        for field in self.fields:
            if field is self.player or isinstance(field.type, Grid):
                continue
            if isinstance(field.type, TableRef):
                rows = self.state.fields[field.name]
                columns = self._columns(field)
                if group == "flag" and not any(self._group(c) == "bearing" for c in columns):
                    yield from (float(row["alive"]) for row in rows)
                for column in columns:
                    for row in rows if self._group(column) == group else ():
                        shown = self._shares(column, row[column.name])
                        yield from (x if row["alive"] else 0.0 for x in shown)
            elif self._group(field) == group:
                for value in self._values(field):
                    yield from self._shares(field, value)

    def _group(self, declared: Field) -> str:
        kind = element(declared.type).kind
        if kind == "Vec2" and not self._is_place(declared):
            return "meter"
        groups = {"Bool": "flag", "Int": "count", "Enum": "count", "Float": "meter"}
        return groups.get(kind, "bearing")

    def _values(self, field: Field) -> list[Any]:
        """The values of a field, the own seat's first."""
        value = self.state.fields[field.name]
        if not isinstance(field.type, Array):
            return [value]
        return value[self.seat :] + value[: self.seat] if field.players else value

    def _shares(self, declared: Field, value: Any) -> list[float]:
        if isinstance(value, tuple):
            return [self._share(declared, part) for part in value]
        return [self._share(declared, value)]

    def _share(self, declared: Field, value: Any) -> float:
        kind = element(declared.type).kind
        if kind == "Bool":
            return float(value)
        if kind == "Enum":
            return value / max(1, self._last(declared))
        assert declared.range is not None
        low, high = declared.range.lo, declared.range.hi
        return value / max(-low, high) if low < 0 else (value - low) / (high - low)

    def _bearings(self) -> list[float]:
        own, centre = self._own(), ((self.rows - 1) / 2, (self.cols - 1) / 2)
        found = [float(self.player is not None)]
        found += [2 * (own[0] - centre[0]) / self.rows, 2 * (own[1] - centre[1]) / self.cols]
        if self.player is not None and self.player.players:
            for place in self._values(self.player)[1:]:
                found += self._bearing(self.player, place)
        single = [f for f in self.fields if not isinstance(f.type, Grid | TableRef)]
        for dirs in (True, False):
            for field in single:
                if field is self.player:
                    continue
                if self._group(field) == "bearing" and (element(field.type).kind == "Dir") == dirs:
                    for value in self._values(field):
                        found += self._bearing(field, value)
        for table in self.fields:
            for column in self._columns(table):
                if self._group(column) == "bearing":
                    for row in self.state.fields[table.name]:
                        shown = self._bearing(column, row[column.name])
                        found += shown if row["alive"] else [0.0] * 3
        return found

    def _bearing(self, declared: Field, value: Any) -> list[float]:
        if element(declared.type).kind == "Dir":
            return [1.0, *map(float, DIR_DELTAS[value])]
        place, own = self._exact(declared, value), self._own()
        return [1.0, (place[0] - own[0]) / self.rows, (place[1] - own[1]) / self.cols]

    def legal(self) -> list[bool]:
        game = self.tree.game
        if game.turns == "alternate" and self.state.turn != self.seat:
            return [name == "STAY" for name in ACTIONS]
        return [i < 5 or name in game.verbs for i, name in enumerate(ACTIONS)]
