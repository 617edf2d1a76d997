"""Typing of effects: outcome and reward, rows of tables, swapping cells, drawing."""

from __future__ import annotations

import ast

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE, nearest_name
from envs_dsl.language.places import Places
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
    FLOAT,
    INT,
    POISON,
    POS,
    VEC2,
    Grid,
    TableRef,
    show,
)
from envs_dsl.language.vocabulary import COLORS

__all__ = ["Effects"]

_EFFECTS = (
    "reward",
    "win",
    "lose",
    "draw",
    "again",
    "spawn",
    "kill",
    "swap",
    "disc",
    "ring",
    "bar",
)


_FORMS = {
    "reward": ("reward(x)", "reward(x, seat)"),
    "win": ("win()", "win(seat)"),
    "lose": ("lose()",),
    "draw": ("draw()",),
    "again": ("again()",),
}


class Effects(Places):
    """Checks effect statements."""

    def effect(self, call: ast.Call, target: ast.expr | None, scope: Scope) -> list[T.Stmt]:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name not in _EFFECTS:
            self.expr(call, scope)
            if name:
                known = name in TABLE or name in self.declared.functions
                if known:
                    self.out.add("E311", call, f"the value of {name}(...) is not used", "assign it")
            return []
        drawing = TABLE[name].group == "view"
        if scope.pure:
            scope.changes = True
            self.out.add(
                "E312", call, f"helpers are pure: {name} is not allowed here", "call it in step"
            )
        elif drawing != (scope.function == "view"):
            self.out.add(
                "E312",
                call,
                f"{name} {'only draws in view' if drawing else 'is not allowed in view'}",
                "draw in def view(s):" if drawing else "view only draws: do it in step",
            )
        elif name in ("reward", "win", "lose", "draw", "again") and scope.function != "step":
            hint = "reset makes the level; rules belong in step"
            self.out.add("E312", call, f"{name} is only allowed in step", hint)
        elif name == "again" and not self.alternate:
            hint = 'add turns="alternate" to Game(...)'
            self.out.add("E312", call, "again() needs turns that alternate", hint)
        if name == "spawn":
            return self.spawn(call, target, scope)
        if call.keywords:
            what = f"{name} takes no named arguments"
            self.out.add("E309", call.keywords[0], what, "write the values in order")
            return []
        if name == "kill":
            return self.kill(call, scope)
        if name == "swap":
            return self.swap(call, scope)
        if drawing:
            return self.drawing(call, name, scope)
        return self.outcome(call, name, scope)

    def outcome(self, call: ast.Call, name: str, scope: Scope) -> list[T.Stmt]:
        wanted = {"reward": (1, 2), "win": (0, 1), "lose": (0,), "draw": (0,), "again": (0,)}[name]
        if len(call.args) not in wanted:
            self.out.add(
                "E309",
                call,
                f"{name} takes {' or '.join(map(str, wanted))} arguments, not {len(call.args)}",
                " or ".join(_FORMS[name]),
            )
            return []
        value = (self.value(call.args[0], scope, FLOAT, "reward"),) if name == "reward" else ()
        seats = call.args[len(value) :]
        players = self.declared.game.players if self.declared.game else 1
        if seats and name == "win" and players < 2 and _is_truth(seats[0]):
            # not a seat of the wrong type: that there is none to name is told (E606)
            self.outcomes.append((name, True, (call.lineno, call.col_offset + 1)))
            return [T.Effect("win", value, None)]
        seat = self.value(seats[0], scope, INT, "a seat") if seats else None
        if isinstance(seat, T.Literal):
            if not 0 <= seat.value < players:
                self.out.add(
                    "E308",
                    seats[0],
                    f"there is no seat {seat.value}: seats are 0 to {players - 1}",
                    f"{name}(i) for the seat i of a loop over players(), or a number",
                )
                return []
            seat = T.Const(int(seat.value), INT)
        self.outcomes.append((name, bool(seats), (call.lineno, call.col_offset + 1)))
        return [T.Effect(name, value, seat)]  # type: ignore[arg-type]

    def _spawn_hint(self, call: ast.Call) -> str:
        """How to spawn into the table that is meant, or into the first."""
        fields = self.declared.fields.items()
        tables = {name: f.type for name, f in fields if isinstance(f.type, TableRef)}
        meant = [a.attr for a in call.args if isinstance(a, ast.Attribute) and a.attr in tables]
        for name in (*meant, *tables):
            columns = self.declared.rows[tables[name].row_type].columns
            return f"spawn(s.{name}, {columns[0].name}=...)"
        return "declare a table in State: bats: Table(Bat, 4)"

    def spawn(self, call: ast.Call, target: ast.expr | None, scope: Scope) -> list[T.Stmt]:
        table = self.expr(call.args[0], scope) if len(call.args) == 1 else None
        if table is not None and table.type == POISON:
            return []
        if not isinstance(table, T.TableName) or not isinstance(table.type, TableRef):
            what, hint = "spawn takes a table, then named columns", self._spawn_hint(call)
            self.out.add("E303", call, what, hint)
            return []
        columns = {c.name: c for c in self.declared.rows[table.type.row_type].columns}
        given: list[tuple[str, T.Expr]] = []
        for keyword in call.keywords:
            column = columns.get(str(keyword.arg))
            if f"{table.type.row_type}.{keyword.arg}" in self.declared.broken:
                continue
            if column is None:
                near = nearest_name(str(keyword.arg), columns)
                self.out.add(
                    "E202",
                    keyword,
                    f"{table.type.row_type} has no column {keyword.arg}",
                    f"did you mean {near}?" if near else "columns: " + ", ".join(columns),
                )
                continue
            given.append(
                (
                    column.name,
                    self.value(keyword.value, scope, column.type, f"column {column.name}"),
                )
            )
        ok: T.Target | None = None
        if isinstance(target, ast.Name):
            stored = self.store_local(target, T.Const(False, BOOL), scope)
            ok = stored[0].target if stored and isinstance(stored[0], T.Assign) else None
        elif target is not None:
            place = self.place(target, scope)
            if place is not None and place.type != BOOL:
                self.out.add("E301", target, f"spawn gives Bool, not {show(place.type)}")
            ok = place
        return [T.Spawn(table.field, tuple(given), ok)]

    def kill(self, call: ast.Call, scope: Scope) -> list[T.Stmt]:
        arg = call.args[0] if len(call.args) == 1 else None
        if isinstance(arg, ast.Name) and self.is_poison(arg, scope):
            return []
        if isinstance(arg, ast.Name) and arg.id in scope.rows:
            row, table = scope.rows[arg.id]
            return [T.Kill(table, row)]
        tables = [n for n, f in self.declared.fields.items() if isinstance(f.type, TableRef)]
        hint = f"for b in s.{tables[0] if tables else 'bats'}: kill(b)"
        self.out.add("E303", call, "kill takes the row variable of a loop", hint)
        return []

    def swap(self, call: ast.Call, scope: Scope) -> list[T.Stmt]:
        if len(call.args) != 3:
            self.out.add(
                "E309", call, f"swap takes 3 arguments, not {len(call.args)}", "swap(s.board, p, q)"
            )
            return []
        grid = self.expr(call.args[0], scope)
        first, second = (self.expr(a, scope) for a in call.args[1:])
        if grid.type == POISON:
            return []
        if not isinstance(grid, T.FieldRef) or not isinstance(grid.type, Grid):
            self.out.add("E303", call.args[0], "swap takes a grid field", "swap(s.board, p, q)")
            return []
        for arg, typed in zip(call.args[1:], (first, second), strict=True):
            if typed.type not in (POS, POISON):
                self.out.add("E301", arg, f"swap needs Pos, not {show(typed.type)}")
                return []
        return [T.Swap(grid.field, first, second)]

    def drawing(self, call: ast.Call, name: str, scope: Scope) -> list[T.Stmt]:
        if len(call.args) != 3:
            form = "(from, to, colour)" if name == "bar" else "(point, radius, colour)"
            self.out.add(
                "E309", call, f"{name} takes 3 arguments, not {len(call.args)}", f"{name}{form}"
            )
            return []
        second = VEC2 if name == "bar" else FLOAT
        args = [
            self.value(call.args[0], scope, VEC2, name),
            self.value(call.args[1], scope, second, name),
        ]
        last = call.args[2]
        if isinstance(last, ast.Constant) and isinstance(last.value, str):
            if last.value not in COLORS:
                near = nearest_name(last.value, COLORS)
                self.out.add(
                    "E204",
                    last,
                    f"unknown colour {last.value!r}",
                    f"did you mean {near!r}?" if near else "colours: " + ", ".join(COLORS),
                )
                return []
            return [T.Effect(name, tuple(args), color=COLORS.index(last.value))]  # type: ignore[arg-type]
        args.append(self.value(last, scope, INT, "a seat or colour"))
        return [T.Effect(name, tuple(args))]  # type: ignore[arg-type]


def _is_truth(node: ast.expr) -> bool:
    """Written like a condition: ``win(True)``, ``win(s.n == 3)``."""
    truth = isinstance(node, ast.Constant) and isinstance(node.value, bool)
    return truth or isinstance(node, ast.Compare | ast.BoolOp)
