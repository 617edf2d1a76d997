"""Typing of operators, comparisons and conditions, with the widening from Int to Float."""

from __future__ import annotations

import ast

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.names import Names
from envs_dsl.language.resolve import forms, misfit, resolve
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
    show,
)

__all__ = ["OPERATOR_WORDS", "Operators"]

OPERATOR_WORDS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.USub: "neg", ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Eq: "eq",
    ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "neg": "-",
    "not": "not", "and": "and", "or": "or",
}  # fmt: skip


class Operators(Names):
    """Resolves operators with the builtin table."""

    def widen(self, expr: T.Expr, wanted: Type) -> T.Expr | None:
        """``expr`` as ``wanted`` (Int widens to Float; poison fits anything), else None."""
        if expr.type == wanted or POISON in (expr.type, wanted):
            return expr
        if wanted == FLOAT and expr.type == INT:
            if isinstance(expr, T.Literal):
                return T.Literal(float(expr.value), FLOAT)
            return T.Call("to_float", (expr,), FLOAT)
        if wanted == Grid(FLOAT) and expr.type == Grid(INT):
            return T.Call("to_float", (expr,), wanted)
        return None

    def apply(self, node: ast.AST, op: str, args: tuple[T.Expr, ...], code: str) -> T.Expr:
        """An operator or builtin on typed arguments, widened; E302/E303 where no form fits."""
        if any(a.type == POISON for a in args):
            return self.poison()
        row = TABLE[op]
        found = resolve(row, tuple(a.type for a in args))
        if found is None:
            self._no_form(node, op, args, code)
            return self.poison()
        wanted, result = found
        fitted = tuple(self.widen(a, w) or a for a, w in zip(args, wanted, strict=True))
        assert result is not None
        return T.Call(op, fitted, result, 0 if row.draws else -1)

    def _no_form(self, node: ast.AST, op: str, args: tuple[T.Expr, ...], code: str) -> None:
        given = ", ".join(show(a.type) for a in args)
        if isinstance(node, ast.Call):
            wrong = misfit(TABLE[op], tuple(a.type for a in args))
            if wrong is not None:
                i, wanted = wrong
                what = f"{op} needs {wanted} as argument {i + 1}, not {show(args[i].type)}"
                hint = f"{op} takes ({', '.join(forms(TABLE[op])[0].params)})"
                if wanted == "Grid(Bool)" and isinstance(args[i].type, TableRef):
                    hint = f"occupied({ast.unparse(node.args[i])}) is true where its rows stand"
                self.out.add(code, node.args[i], what, hint)
                return
        if op in _SYMBOLS:
            message = f"{_SYMBOLS[op]} does not take {given}"
        else:
            message = f"{op} does not take ({given})"
        enums = [a.type for a in args if isinstance(a.type, Scalar) and a.type.kind == "Enum"]
        if enums and op in _SYMBOLS and op not in ("and", "or", "not"):
            hint = "enums have no arithmetic and no order: compare with == and a member"
        elif op in ("and", "or", "not"):
            hint = "and, or, not take Bool or Grid(Bool)"
            if any(isinstance(a.type, TableRef) for a in args):
                hint += "; count_alive(table) tells how many rows are in use"
        elif op in ("add", "sub") and [a.type for a in args] == [POS, INT]:
            hint = "a Pos moves by a direction: p + RIGHT, or Pos(p.row, p.col + 1)"
        elif op == "sub" and [a.type for a in args] == [POS, POS]:
            hint = "manhattan(p, q) is how far apart they are, p.row - q.row a part of it"
        else:
            listed = " or ".join(f"({', '.join(f.params)})" for f in forms(TABLE[op]))
            hint = f"{_SYMBOLS.get(op, op)} takes {listed}"
        self.out.add(code, node, message, hint)

    def _operator(
        self, node: ast.expr, op: str | None, operands: tuple[ast.expr, ...], scope: Scope
    ) -> T.Expr:
        args = tuple(self.expr(o, scope) for o in operands)
        if op is None:
            return self.poison()
        return self.apply(node, op, args, "E303")

    def _boolop(self, node: ast.expr, op: str, values: list[ast.expr], scope: Scope) -> T.Expr:
        # folded from the left: each value stands one level higher than the one before
        below = max(len(values) - 2, 0)
        self.deeper(below)
        result = self.expr(values[0], scope)
        for i, value in enumerate(values[1:]):
            if i:
                self.level -= 1
            result = self.apply(value, op, (result, self.expr(value, scope)), "E303")
        return result

    def _compare(
        self, node: ast.expr, op: str | None, left: ast.expr, right: ast.expr, scope: Scope
    ) -> T.Expr:
        a, b = self.expr(left, scope), self.expr(right, scope)
        if op is None or POISON in (a.type, b.type):
            return self.poison()
        if resolve(TABLE[op], (a.type, b.type)) is None:
            elem = [t.elem if isinstance(t, Grid) else t for t in (a.type, b.type)]
            enum = next((t.enum for t in elem if isinstance(t, Scalar) and t.kind == "Enum"), "")
            hint = ""
            if {a.type, b.type} == {POS, DIR}:
                hint = "a Dir moves a Pos, as in p + d"
            elif a.type == b.type and elem[0] in (POS, DIR, VEC2, BOOL):
                hint = f"{show(elem[0])} has no order: compare with == or !="
            elif elem[0] == elem[1] and enum:
                hint = "enums have no order: compare with == or !="
            elif enum in self.declared.enums:
                member = self.declared.enums[enum].members[0]
                line = self.declared.lines[enum]
                hint = f"use a member, e.g. {enum}.{member} (declared on line {line})"
            self.out.add("E302", right, f"cannot compare {show(a.type)} with {show(b.type)}", hint)
            return self.poison()
        return self.apply(node, op, (a, b), "E302")

    def _conditional(
        self, node: ast.expr, test: ast.expr, body: ast.expr, orelse: ast.expr, scope: Scope
    ) -> T.Expr:
        condition = self.condition(test, scope)
        args = (condition, self.expr(body, scope), self.expr(orelse, scope))
        if any(isinstance(a.type, Grid) for a in args[1:]):
            self.out.add(
                "E303",
                node,
                "a conditional expression takes scalars",
                "use where(test, a, b) for grids",
            )
            return self.poison()
        return self.apply(node, "if_else", args, "E303")

    def _test_hint(self, found: Type, text: str) -> str:
        if len(text) > 40:
            text = "x"
        match found:
            case Grid(elem=Scalar(kind="Bool")):
                return "reduce the grid with any(...) or all(...)"
            case Scalar(kind="Int" | "Float"):
                return f"compare it, such as {text} > 0"
            case Scalar(kind="Enum", enum=enum):
                return (
                    f"compare it, such as {text} == {enum}.{self.declared.enums[enum].members[0]}"
                )
            case Scalar(kind="Dir"):
                return f"compare it, such as {text} != STAY"
        return "compare it with something"

    def condition(self, node: ast.expr, scope: Scope) -> T.Expr:
        """A test of ``if``: one Bool, not constant."""
        test = self.expr(node, scope)
        if test.type not in (BOOL, POISON):
            hint = self._test_hint(test.type, ast.unparse(node))
            self.out.add("E304", node, f"a condition must be one Bool, not {show(test.type)}", hint)
            return self.poison()
        literal = (
            isinstance(test, T.Call)
            and test.args
            and not TABLE[test.op].draws
            and all(isinstance(a, T.Literal | T.Const) for a in test.args)
        )
        if (isinstance(test, T.Const) and test.type == BOOL) or literal:
            self.out.add(
                "E605",
                node,
                "the condition is constant",
                "test something that changes during the game",
            )
        return test
