"""What a name means as a value: constants, locals, fields, members, columns and actions."""

from __future__ import annotations

import ast

from envs_dsl.language import tree as T
from envs_dsl.language.allowed import MAX_FLOAT
from envs_dsl.language.builtins import TABLE, nearest_name
from envs_dsl.language.cost import CAPS
from envs_dsl.language.declarations import Declarations
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POISON,
    POS,
    VEC2,
    Grid,
    Scalar,
    TableRef,
    Type,
    enum_type,
    show,
)
from envs_dsl.language.vocabulary import ACTIONS, DIRS, TAGS, VERBS

__all__ = ["MAX_LEVELS", "NAMES_AS_CALLS", "Names", "TooDeep", "TooLarge"]

MAX_NODES = 20_000
"""Typed nodes after inlining: an expansion bomb is stopped while it grows, not afterwards."""

NAMES_AS_CALLS = ("ROW", "COL", "BORDER", "EVERYWHERE", "NOWHERE")


class TooLarge(Exception):
    """The expanded program has more than MAX_NODES nodes."""


MAX_LEVELS = CAPS.depth
"""Expressions in one another after inlining; the tree is at least as high, so the cap on its height
(E502) is exceeded with it. Checked on the way down: every later recursion is safe."""


class TooDeep(Exception):
    """The expanded program has more than MAX_LEVELS expressions in one another."""


_GAME_NUMBERS = "the numbers of Game(...) are written again, or named above it: STEPS = 100"

_HINTS = {
    "game": _GAME_NUMBERS,
    "pi": "write 3.14159",
    "Dir": "directions stand alone: UP, DOWN, LEFT, RIGHT",
}
"""What to write for some names that are not there."""


class Names:
    """The base of the checker: what is declared, where findings go, how names are typed.

    ``types`` records the type of every source expression, for ``mutate``.
    """

    def __init__(self, declared: Declarations, out: Diagnostics) -> None:
        self.declared = declared
        self.out = out
        self.types: dict[int, Type] = {}
        self.nodes = 0
        self.level = 0
        self.used_params: set[str] = set()
        self.used_layouts: set[str] = set()
        self.used_verbs: set[int] = set()
        self.outcomes: list[tuple[str, bool, tuple[int, int]]] = []
        """Outcome effects of step as they are written: name, whether a seat is named, place."""
        self.inlined = 0

    def expr(self, node: ast.expr, scope: Scope) -> T.Expr:
        """Type one expression (``expressions.Expressions``)."""
        raise NotImplementedError

    def poison(self) -> T.Expr:
        return T.Const(0, POISON)

    def count(self) -> None:
        """Count one expression or statement of the expanded program."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooLarge

    def deeper(self, levels: int) -> None:
        """Go down by ``levels``; the caller comes up again."""
        self.level += levels
        if self.level > MAX_LEVELS:
            raise TooDeep

    def _constant(self, node: ast.expr, value: object) -> T.Expr:
        if isinstance(value, bool):
            return T.Const(value, BOOL)
        if isinstance(value, int):
            if not -(2**31) <= value < 2**31:
                self.out.add("E308", node, "the number does not fit 32 bits")
                return self.poison()
            return T.Literal(value, INT)
        if isinstance(value, float):
            if not abs(value) <= MAX_FLOAT:
                while isinstance(node, ast.UnaryOp):  # where the scan of the text has reported it
                    node = node.operand
                self.out.add("E308", node, "the number does not fit a 32-bit float")
                return self.poison()
            return T.Literal(value, FLOAT)
        if isinstance(value, str):
            what, hint = "a text", "declare an enum and use its members"
            if value.upper() in DIRS:
                hint = f"write {value.upper()}"
        else:
            what, hint = str(value)[:20], "0, False or Pos(-1, -1) can mean nothing"
        self.out.add("E102", node, f"{what} is not a value of the language", hint)
        return self.poison()

    def _name(self, node: ast.expr, name: str, scope: Scope) -> T.Expr:
        if name in scope.tree_names:
            scope.read.add(name)
            if name not in scope.assigned:
                scope.assigned.add(name)  # told once
                if name in scope.unknown:
                    return self.poison()
                self.out.add(
                    "E306",
                    node,
                    f"{name} may be read before it is assigned",
                    f"assign {name} before the if or loop",
                )
            return T.LocalRef(scope.tree_names[name], scope.types[name])
        if name in scope.rows:
            self.out.add(
                "E311",
                node,
                f"{name} is a table row, not a value",
                f"read one of its columns, such as {name}.pos",
            )
            return self.poison()
        declared = self.declared
        if name in declared.broken or name in scope.broken:
            return self.poison()
        if name in declared.constants:
            return self._constant(node, declared.constants[name])
        if name in declared.values:
            return self.expr(declared.values[name], scope)
        if name in declared.params:
            self.used_params.add(name)
            index = list(declared.params).index(name)
            return T.ParamRef(index, INT if declared.params[name].is_int else FLOAT)
        if name in DIRS:
            return T.Const(DIRS.index(name), DIR)
        if name in NAMES_AS_CALLS:
            elem = INT if name in ("ROW", "COL") else BOOL
            return T.Call(name, (), Grid(elem))
        if name in scope.aliases or name in declared.enums:
            hint = f"write {' or '.join(self._parts(name, scope))}"
            self.out.add("E311", node, f"{name} is not a value by itself", hint)
            return self.poison()
        if name in declared.layouts:
            self.used_layouts.add(name)
            self.out.add("E311", node, f"{name} is a layout, not a value", f"write paint({name})")
            return self.poison()
        if name in TABLE or name in declared.functions:
            self.out.add("E311", node, f"{name} is a function", f"call it: {name}(...)")
            return self.poison()
        near = nearest_name(
            name,
            [
                *scope.aliases,
                *scope.tree_names,
                *scope.rows,
                *declared.constants,
                *declared.values,
                *declared.params,
                *declared.enums,
                *DIRS,
                *NAMES_AS_CALLS,
            ],
        )
        field = name if name in declared.fields else None
        if field is None and near is None:
            field = nearest_name(name, declared.fields)
        if field is not None and scope.function:
            hint = f"fields are read as s.{field}"
        else:
            owners = [enum for enum, e in declared.enums.items() if name in e.members]
            near = f"{owners[0]}.{name}" if owners else near
            hint = f"did you mean {near}?" if near else "assign it first, or declare it above"
            hint = _HINTS.get(name, hint)
        scope.unknown.add(name)
        self.out.add("E201", node, f"unknown name {name}", hint)
        return self.poison()

    def _parts(self, name: str, scope: Scope) -> list[str]:
        """Two values that may be meant by ``s``, ``act``, ``acts`` or the name of an enum."""
        stands, game = scope.aliases.get(name), self.declared.game
        if stands == "act":
            names = ["move", *(game.verbs if game else ())]
        elif stands == "acts":
            return [f"{name}[i].move"]
        else:
            names = list(self.declared.fields if stands else self.declared.enums[name].members)
        return [f"{name}.{part}" for part in names[:2]] or [f"{name}.something"]

    def is_poison(self, node: ast.Name, scope: Scope) -> bool:
        """Whether a name that should be a row is faulty by itself: then that is told."""
        if node.id in scope.rows or node.id in scope.aliases or node.id in self.declared.enums:
            return False
        return self._name(node, node.id, scope).type == POISON

    def alias(self, node: ast.expr, scope: Scope) -> str:
        """ "s", "act", "acts" or "" for what ``node`` names (helpers may rename them)."""
        if isinstance(node, ast.Name) and node.id not in scope.tree_names:
            return scope.aliases.get(node.id, "")
        return ""

    def _component(self, node: ast.Attribute, value: T.Expr, attr: str) -> T.Expr:
        axis = {"row": (POS, 0), "col": (POS, 1), "x": (VEC2, 0), "y": (VEC2, 1)}.get(attr)
        if value.type == POISON:
            return value
        if axis is None or value.type != axis[0]:
            parts = {POS: "a Pos has .row and .col", VEC2: "a Vec2 has .x and .y"}
            hint = parts.get(value.type, "") if isinstance(value.type, Scalar) else ""
            if attr in TAGS and isinstance(value.type, Scalar) and value.type.kind == "Enum":
                hint = f'write tagged({ast.unparse(node.value)}, "{attr}")'
            self.out.add("E202", node, f"{show(value.type)} has no attribute {attr}", hint)
            return self.poison()
        return T.Component(value, axis[1], INT if value.type == POS else FLOAT)

    @property
    def alternate(self) -> bool:
        game = self.declared.game
        return game is not None and game.turns == "alternate"

    def _field(self, node: ast.expr, name: str) -> T.Expr:
        if name == "t":
            return T.Clock(INT)
        if name == "turn" and self.alternate:
            return T.Turn(INT)
        field = self.declared.fields.get(name)
        if f"State.{name}" in self.declared.broken or "State" not in self.declared.lines:
            return self.poison()
        if field is None:
            near = nearest_name(name, ["t", *self.declared.fields])
            hint = f"did you mean s.{near}?" if near else "declare it in class State"
            if name in ("size", "max_steps", "players"):
                hint = _GAME_NUMBERS
            if name == "turn" and near != "turn":
                hint = 's.turn needs turns="alternate" in Game(...)'
            self.out.add("E202", node, f"State has no field {name}", hint)
            return self.poison()
        if isinstance(field.type, TableRef):
            return T.TableName(name, field.type)
        return T.FieldRef(name, field.type)

    def _member(self, node: ast.expr, enum: str, name: str) -> T.Expr:
        members = self.declared.enums[enum].members
        if f"{enum}.{name}" in self.declared.broken:
            return self.poison()
        if name not in members:
            near = nearest_name(name, members)
            self.out.add(
                "E202",
                node,
                f"{enum} has no member {name}",
                f"did you mean {enum}.{near}?" if near else "members: " + ", ".join(members),
            )
            return self.poison()
        return T.Const(members.index(name), enum_type(enum))

    def _column(self, node: ast.expr, row: str, name: str, scope: Scope) -> T.Expr:
        tree_name, table = scope.rows[row]
        row_type = self.declared.fields[table].type
        assert isinstance(row_type, TableRef)
        for column in self.declared.rows[row_type.row_type].columns:
            if column.name == name:
                assert isinstance(column.type, Scalar)
                return T.Column(table, tree_name, name, column.type)
        if f"{row_type.row_type}.{name}" in self.declared.broken:
            return self.poison()
        names = [c.name for c in self.declared.rows[row_type.row_type].columns]
        near = nearest_name(name, names)
        self.out.add(
            "E202",
            node,
            f"{row_type.row_type} has no column {name}",
            f"did you mean {row}.{near}?" if near else "columns: " + ", ".join(names),
        )
        return self.poison()

    def _action(self, node: ast.expr, name: str, seat: T.Expr | None) -> T.Expr:
        if name == "move":
            return T.Act(None, seat, DIR)
        game = self.declared.game
        verbs = game.verbs if game else VERBS
        if f"act.{name}" in self.declared.broken:
            return self.poison()
        if name not in verbs:
            near = nearest_name(name, ("move", *verbs))
            hint = (
                f'add "{name}" to verbs in Game(...)'
                if name in VERBS
                else (
                    f"did you mean .{near}?"
                    if near
                    else "actions have .move and the verbs of Game(...)"
                )
            )
            if name.upper() in DIRS:
                hint = f"write {ast.unparse(node).removesuffix(name)}move == {name.upper()}"
            self.out.add("E202", node, f"actions have no {name}", hint)
            return self.poison()
        verb = ACTIONS.index(name)
        self.used_verbs.add(verb)
        return T.Act(verb, seat, BOOL)
