"""The fields of ``class State`` and the columns of rows: types, ranges, initial values."""

from __future__ import annotations

import ast
import dataclasses
from typing import cast

from envs_dsl.language.builtins import nearest_name
from envs_dsl.language.constants import ConstantReader
from envs_dsl.language.declarations import RESERVED, Plain, constant
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POS,
    VEC2,
    Array,
    Field,
    Grid,
    Range,
    Scalar,
    TableRef,
    enum_type,
)

__all__ = ["FieldReader"]

MAX_ROWS, MAX_LENGTH = 16, 64
_TYPES = (
    "Bool", "Int", "Float", "Pos", "Dir", "Vec2", "Grid", "Array", "Table", "Players", "Hidden",
)  # fmt: skip


class FieldReader(ConstantReader):
    """Reads field declarations; faults are reported and the field is left out."""

    def fields(self, node: ast.ClassDef, *, in_row: bool) -> tuple[Field, ...]:
        found: dict[str, Field] = {}
        for item in node.body:
            match item:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    if (
                        name in found
                        or name in ("t", "turn", "alive", "move")
                        or name.startswith("__")
                    ):
                        self.out.add(
                            "E203",
                            item,
                            f"the field name {name} is taken or reserved",
                            "choose another name",
                        )
                    field = self.field(name, annotation, value, in_row=in_row)
                    if field is None:
                        self.found.broken.add(f"{node.name}.{name}")
                    elif name not in found:
                        found[name] = dataclasses.replace(field, line=item.lineno)
                case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.found.broken.add(f"{node.name}.{name}")
                    self.out.add(
                        "E111", item, f"{name} has no type", f"write {name}: {_typed_like(value)}"
                    )
                case _:
                    self.out.add(
                        "E111",
                        item,
                        "a line like name: Type = value is needed",
                        "has_key: Bool = False",
                    )
        return tuple(found.values())

    def field(
        self, name: str, node: ast.expr, value: ast.expr | None, *, in_row: bool
    ) -> Field | None:
        called, args, call = _head(node)
        if call is not None and called in _TYPES and called != "Grid":
            self.options(call, ())
        if called == "Hidden" and call is not None and len(args) == 1:
            inner = self.field(name, args[0], value, in_row=in_row)
            return None if inner is None else dataclasses.replace(inner, hidden=True)
        if in_row and called in ("Grid", "Array", "Table", "Players"):
            self.out.add("E301", node, f"a row's column must be a scalar, not {called}")
            return None
        match called:
            case "Grid":
                return self.grid(name, args, node, value)
            case "Array":
                return self.array(name, args, node, value)
            case "Players":
                return self.seats(name, args, node, value)
            case "Table":
                return self.table(name, args, node)
        scalar = self.scalar(node)
        if scalar is None:
            return None
        type_, bounds = scalar
        return Field(name, type_, bounds, init=self.value(value, type_, bounds))

    def scalar(self, node: ast.expr) -> tuple[Scalar, Range | None] | None:
        called, args, call = _head(node)
        if call is not None and called in _TYPES:
            self.options(call, ())
        if called in ("Bool", "Pos", "Dir") and call is None:
            return {"Bool": BOOL, "Pos": POS, "Dir": DIR}[called], None
        if called in ("Int", "Float", "Vec2"):
            numbers = [self.number(a) for a in args]
            whole = called == "Int"
            anything = (0, 255) if whole else (-1e6, 1e6)  # the initial value is no second fault
            if (
                call is None
                or len(numbers) != 2
                or any(
                    n is None or isinstance(n, bool) or (whole and not isinstance(n, int))
                    for n in numbers
                )
            ):
                form = "Int(0, 9)" if whole else f"{called}(0.0, 1.0)"
                self.out.add(
                    "E308",
                    node,
                    f"{called} needs a range of two {'whole ' if whole else ''}numbers",
                    f"write {form}",
                )
                numbers = list(anything)
            low, high = cast(list[float], numbers)
            # a span that is nothing in 32 bits could not be scaled for the observation
            if not high - low >= 1e-6 or max(abs(low), abs(high)) > 1e6:
                self.out.add("E308", node, "a range needs low < high, from -1e6 to 1e6")
                low, high = anything
            if not whole:  # Float(0, 1) is Float(0.0, 1.0)
                low, high = float(low), float(high)
            return {"Int": INT, "Float": FLOAT, "Vec2": VEC2}[called], Range(low, high)
        if called in self.found.enums and call is None:
            return enum_type(called), None
        if called in self.found.broken:
            return None
        known = [*_TYPES, *self.found.enums]
        near = nearest_name(called, known)
        self.found.broken.add(called)  # a type that is missing is told once
        self.out.add(
            "E201",
            node,
            f"unknown type {called or '(expression)'}",
            f"did you mean {near}?" if near else "types: " + ", ".join(known),
        )
        return None

    def grid(
        self, name: str, args: list[ast.expr], node: ast.expr, value: ast.expr | None
    ) -> Field | None:
        if not isinstance(node, ast.Call) or len(args) != 1:
            self.out.add("E309", node, "Grid takes one type", "Grid(Tile, outside=Tile.WALL)")
            return None
        given = self.options(node, ("outside",))
        scalar = self.scalar(args[0])
        if scalar is None:
            return None
        type_, bounds = scalar
        if type_.kind not in ("Bool", "Int", "Float", "Enum"):
            what = f"a grid holds Bool, Int, Float or an enum, not {type_.kind}"
            self.out.add("E301", args[0], what, "use an Array or a Table")
            return None
        outside = self.value(given.get("outside"), type_, bounds)
        return Field(
            name,
            Grid(type_),
            bounds,
            init=self.value(value, type_, bounds),
            outside=cast(Plain, outside),
        )

    def array(
        self, name: str, args: list[ast.expr], node: ast.expr, value: ast.expr | None
    ) -> Field | None:
        if not isinstance(node, ast.Call) or len(args) != 2:
            self.out.add(
                "E309",
                node,
                "Array takes a type and a length or an enum",
                "Array(Int(0, 9), Item)",
            )
            return None
        scalar = self.scalar(args[0])
        if scalar is None:
            return None
        type_, bounds = scalar
        length, index = self.length(args[1])
        return Field(
            name, Array(type_, length, index), bounds, init=self.value(value, type_, bounds)
        )

    def missing(self, node: ast.Name) -> bool:
        """Whether nothing of that name is declared (reported once), or only with a fault."""
        found = self.found
        if node.id in found.broken:
            return True
        known = (*found.constants, *found.params, *found.rows, *found.enums)
        if node.id in known or node.id in RESERVED:
            return False
        near = nearest_name(node.id, known)
        hint = f"did you mean {near}?" if near else "declare it above class State"
        self.out.add("E201", node, f"unknown name {node.id}", hint)
        found.broken.add(node.id)
        return True

    def length(self, node: ast.expr) -> tuple[int, str]:
        if isinstance(node, ast.Name) and node.id in self.found.enums:
            return len(self.found.enums[node.id].members), node.id
        length = self.number(node)
        if isinstance(node, ast.Name) and self.missing(node):
            return 1, ""
        if not isinstance(length, int) or isinstance(length, bool) or not 1 <= length <= MAX_LENGTH:
            self.out.add("E308", node, f"a length from 1 to {MAX_LENGTH} or an enum is needed")
            return 1, ""
        return length, ""

    def seats(
        self, name: str, args: list[ast.expr], node: ast.expr, value: ast.expr | None
    ) -> Field | None:
        if not isinstance(node, ast.Call) or len(args) != 1:
            self.out.add("E309", node, "Players takes one type", "Players(Pos)")
            return None
        scalar = self.scalar(args[0])
        if scalar is None:
            return None
        type_, bounds = scalar
        players = self.found.game.players if self.found.game else 1
        if players < 2:
            self.out.add(
                "E308", node, "Players needs a game of two players or more", "Game(..., players=2)"
            )
        return Field(
            name,
            Array(type_, max(players, 1)),
            bounds,
            init=self.value(value, type_, bounds),
            players=True,
        )

    def table(self, name: str, args: list[ast.expr], node: ast.expr) -> Field | None:
        capacity = self.number(args[1]) if len(args) == 2 else None
        row = args[0].id if args and isinstance(args[0], ast.Name) else ""
        if row in self.found.broken:
            return None
        if row not in self.found.rows:
            near = nearest_name(row, self.found.rows)
            self.out.add(
                "E201",
                node,
                f"unknown row type {row or '(expression)'}",
                f"did you mean {near}?"
                if near
                else f"declare class {row or 'Bat'}(Row) above class State",
            )
            return None
        if (
            not isinstance(capacity, int)
            or isinstance(capacity, bool)
            or not 1 <= capacity <= MAX_ROWS
        ):
            self.out.add(
                "E308", node, f"a table needs a capacity from 1 to {MAX_ROWS}", f"Table({row}, 4)"
            )
            capacity = 1
        return Field(name, TableRef(row), capacity=capacity)


def _typed_like(value: ast.expr) -> str:
    """A declaration that could have been meant by ``name = value``."""
    plain = constant(value)
    if isinstance(plain, bool):
        return f"Bool = {plain}"
    if isinstance(plain, int):
        return f"Int({min(plain, 0)}, {max(plain, 9)}) = {plain}"
    if isinstance(plain, float):
        return f"Float({min(plain, 0.0)}, {max(plain, 1.0)}) = {plain}"
    match value:
        case ast.Attribute(value=ast.Name(id=enum)):
            return f"{enum} = {enum}.{value.attr}"
        case ast.Call(func=ast.Name(id="Pos" | "Vec2" as kind)):
            return "Pos" if kind == "Pos" else "Vec2(-8.0, 8.0)"
    return "Int(0, 9) = 0"


def _head(node: ast.expr) -> tuple[str, list[ast.expr], ast.Call | None]:
    """``Name`` or ``Name(args…)`` → (name, args, the call or None); else ("", [], None)."""
    match node:
        case ast.Name(id=name):
            return name, [], None
        case ast.Call(func=ast.Name(id=name), args=args):
            return name, args, node
    return "", [], None
