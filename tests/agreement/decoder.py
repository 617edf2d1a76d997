"""An observation with the full view, read back into fields (``envs_dsl.interface`` says how)."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.interface import HUD, full_view, observe
from envs_dsl.language import slots
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Field, Grid, Scalar, TableRef
from envs_dsl.language.vocabulary import DIR_DELTAS

from .same import RELATIVE

__all__ = ["lost"]

FIRST = {"flag": 24, "count": 40, "meter": 64, "bearing": 80}


def lost(tree: Tree, state: Any, max_steps: int) -> str | None:
    """What cannot be read back from what seat 0 of copy 0 sees; None where all of it can.

    Grids are looked for where the window holds all of the board: with ``camera="board"``, and where
    the player stands on it.
    """
    seen = observe(np, tree, state, max_steps, view=full_view(tree.game.size))
    return _Decoder(tree, seen.cells[0, 0], seen.hud[0, 0]).compare(state)


class _Decoder:
    def __init__(self, tree: Tree, cells: np.ndarray, hud: np.ndarray) -> None:
        assert hud.shape == (HUD,)
        self.tree, self.cells, self.hud = tree, cells.astype(int), hud.astype(float)
        self.slots = slots.layout(tree)
        self.rows, self.cols = tree.game.size
        middle = np.array([(self.rows - 1) / 2, (self.cols - 1) / 2])
        self.place = self.hud[81:83] * np.array(tree.game.size) / 2 + middle

    def compare(self, state: Any) -> str | None:
        shown = {value.field.name for value in self.slots.values}
        for value in self.slots.values:
            want = self.wanted(state, value)
            got = np.asarray(self.values(value, want), float)
            bounds = value.declared.range
            room = 1e-3 if bounds is None else RELATIVE * max(1, abs(bounds.lo), abs(bounds.hi))
            if not np.allclose(got, want.astype(float), rtol=1e-4, atol=max(room, 1e-3)):
                return f"{value.field.name}: {want.tolist()} is read as {got.tolist()}"
        for field in self.tree.fields:
            if field.hidden:
                continue
            if isinstance(field.type, Grid):
                words = self.grid(field, state.fields[field.name][0])
                if words:
                    return words
            elif field is self.slots.player and not field.players:
                if not np.allclose(self.me(field), state.fields[field.name][0], atol=1e-3):
                    return f"{field.name}: the player's place is read as {self.me(field)}"
            elif field.name not in shown and field is not self.slots.player:
                return f"{field.name} is not shown"
        return None

    def wanted(self, state: Any, value: slots.Value) -> np.ndarray:
        raw = state.fields[value.field.name]
        if value.column is not None:
            return np.asarray(raw[value.column.name][0])
        if isinstance(value.field.type, Scalar):
            return np.asarray(raw[:1][0])[None]
        found = np.asarray(raw[0])
        return found[1:] if value.field is self.slots.player else found

    def values(self, value: slots.Value, want: np.ndarray) -> list[Any]:
        kind = getattr(value.declared.type, "elem", value.declared.type).kind
        start = FIRST[value.group] + value.first * (3 if value.group == "bearing" else 1)
        found: list[Any] = []
        for i in range(value.count):
            if value.group == "bearing":
                present, row, col = self.hud[start + 3 * i : start + 3 * i + 3]
                found.append(self.bearing(kind, present, row, col))
            elif value.width == 2:
                parts = self.hud[start + 2 * i : start + 2 * i + 2]
                found.append([self.number(value.declared, part) for part in parts])
            else:
                found.append(self.number(value.declared, self.hud[start + i]))
        if isinstance(value.field.type, TableRef):
            alive = self.alive(value)
            zero = np.zeros(want.shape[1:])
            found = [item if there else zero for item, there in zip(found, alive)]
        return found

    def alive(self, value: slots.Value) -> list[bool]:
        """Which rows are in use: from a bearing of the table, or from its flags."""
        name = value.field.name
        of_table = [v for v in self.slots.values if v.field.name == name]
        for other in of_table:
            if other.group == "bearing":
                start = FIRST["bearing"] + 3 * other.first
                return [self.hud[start + 3 * i] == 1 for i in range(other.count)]
        flags = next(v for v in of_table if v.declared.name == "alive")
        start = FIRST["flag"] + flags.first
        return [self.hud[start + i] == 1 for i in range(flags.count)]

    def number(self, declared: Field, scaled: float) -> float:
        element = getattr(declared.type, "elem", declared.type)
        if element.kind == "Bool":
            return scaled
        if element.kind == "Enum":
            return round(scaled * max(1, len(self.tree.enum(element.enum).members) - 1))
        assert declared.range is not None
        low, high = declared.range.lo, declared.range.hi
        value = low + scaled * (high - low) if low >= 0 else scaled * max(-low, high)
        return round(value) if element.kind == "Int" else value

    def bearing(self, kind: str, present: float, row: float, col: float) -> Any:
        if kind == "Dir":
            return DIR_DELTAS.index((round(row), round(col))) if present else 0
        r, c = self.place + np.array([row, col]) * np.array(self.tree.game.size)
        return self.point(kind, r, c)

    def point(self, kind: str, row: float, col: float) -> list[float]:
        if kind == "Pos":
            return [round(row), round(col)]
        return [col + 0.5 - self.cols / 2, row + 0.5 - self.rows / 2]

    def me(self, field: Field) -> list[float]:
        assert isinstance(field.type, Scalar)
        return self.point(field.type.kind, *self.place)

    def grid(self, field: Field, want: np.ndarray) -> str | None:
        # a Vec2 lies in the cell under it; 1e-3 keeps what lies on an edge out of doubt
        row, col = (int(np.floor(x + 0.5 + 1e-4)) for x in self.place)
        if self.slots.player is None or self.tree.game.camera == "board":
            row, col = self.rows // 2, self.cols // 2
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            return None
        top, left = len(self.cells) // 2 - row, len(self.cells) // 2 - col
        board = self.cells[top : top + self.rows, left : left + self.cols]
        if field is self.slots.looks:
            codes = {tuple(code): i for i, code in enumerate(self.slots.codes)}
            got = np.array([[codes.get(tuple(c[:3]), -1) for c in line] for line in board.tolist()])
        elif field is self.slots.flags:
            got = board[:, :, 4] >= 128
        else:
            assert field.range is not None
            span = field.range.hi - field.range.lo
            got = board[:, :, 5] * span / 255 + field.range.lo
            if np.allclose(got, want, atol=max(0.5 if want.dtype == np.int32 else 0, span / 500)):
                return None
        return None if np.array_equal(got, want) else f"{field.name} is read as {got.tolist()}"
