"""Typing of expressions: Python expression nodes → typed tree nodes."""

from __future__ import annotations

import ast

from envs_dsl.language import tree as T
from envs_dsl.language.allowed import not_in_language
from envs_dsl.language.calls import Calls
from envs_dsl.language.declarations import constant
from envs_dsl.language.operators import OPERATOR_WORDS
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
    FLOAT,
    INT,
    POISON,
    POS,
    VEC2,
    Array,
    Grid,
    Scalar,
    TableRef,
    Type,
    enum_type,
    show,
)

__all__ = ["Expressions"]


class Expressions(Calls):
    """Checks any expression; a faulty one is reported once and comes back as poison."""

    def expr(self, node: ast.expr, scope: Scope) -> T.Expr:
        """Type one expression; a faulty one is reported and comes back as poison."""
        self.count()
        self.deeper(1)
        result = self._expr(node, scope)
        self.level -= 1
        self.types[id(node)] = result.type
        return result

    def value(self, node: ast.expr, scope: Scope, wanted: Type, what: str) -> T.Expr:
        """An expression widened to ``wanted``; reports E301 when it does not fit."""
        found = self.expr(node, scope)
        fitted = self.widen(found, wanted)
        if fitted is None:
            self.out.add(
                "E301",
                node,
                f"{what} needs {show(wanted)}, not {show(found.type)}",
                self._convert_hint(found.type, wanted),
            )
            return self.poison()
        return fitted

    def _convert_hint(self, found: Type, wanted: Type) -> str:
        if found == FLOAT and wanted == INT:
            return "use floor(x) or round(x)"
        if isinstance(wanted, Scalar) and wanted.kind == "Enum":
            return f"use a member, such as {self._first_member(wanted.enum)}"
        if found == INT and wanted == BOOL:
            return "compare it, such as x > 0, or write True or False"
        if found == BOOL and wanted == INT:
            return "write 1 if test else 0"
        if wanted == POS:
            return "write Pos(row, col)"
        if isinstance(wanted, Grid) and isinstance(found, Scalar):
            return "where(mask, a, b) gives a grid; a number or member fills all cells"
        return ""

    def _first_member(self, enum: str) -> str:
        return f"{enum}.{self.declared.enums[enum].members[0]}"

    def _expr(self, node: ast.expr, scope: Scope) -> T.Expr:
        match node:
            case ast.Constant(value=value):
                return self._constant(node, value)
            case ast.Name(id=name):
                return self._name(node, name, scope)
            case ast.Attribute():
                return self._attribute(node, scope)
            case ast.Subscript():
                return self._subscript(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.UnaryOp(op=op, operand=operand):
                literal = constant(node)
                if literal is not None:
                    return self._constant(node, literal)
                return self._operator(node, OPERATOR_WORDS.get(type(op)), (operand,), scope)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operator(node, OPERATOR_WORDS.get(type(op)), (left, right), scope)
            case ast.BoolOp(op=op, values=values):
                return self._boolop(node, OPERATOR_WORDS[type(op)], values, scope)
            case ast.Compare(left=left, ops=ops, comparators=rights):
                if len(ops) > 1:
                    what = "a chained comparison is not in the language"
                    self.out.add("E102", node, what, _unchained(node))
                    return self.poison()
                return self._compare(node, OPERATOR_WORDS.get(type(ops[0])), left, rights[0], scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._conditional(node, test, body, orelse, scope)
            case ast.Tuple() | ast.List():  # the whitelist lets them stand behind option names
                self.out.add("E102", node, *not_in_language(node))
        return self.poison()  # already reported by the whitelist

    def _attribute(self, node: ast.Attribute, scope: Scope) -> T.Expr:
        base, attr = node.value, node.attr
        stands = self.alias(base, scope)
        if stands == "s":
            return self._field(node, attr)
        if stands == "act":
            return self._action(node, attr, T.Turn(INT) if self.alternate else None)
        if stands == "acts":
            if isinstance(base, ast.Name) and base.id == stands:
                what = f"{base.id} holds one action a seat"
                self.out.add("E311", node, what, f"write {base.id}[i].{attr}")
            return self.poison()
        if isinstance(base, ast.Name) and base.id not in scope.tree_names:
            if base.id in self.declared.enums:
                return self._member(node, base.id, attr)
            if base.id in scope.rows:
                return self._column(node, base.id, attr, scope)
        if isinstance(base, ast.Subscript) and self.alias(base.value, scope) == "act":
            if isinstance(base.value, ast.Name) and base.value.id == "act":
                self.out.add("E311", node, "act is one action", f"write act.{attr}")
            return self.poison()
        if isinstance(base, ast.Subscript) and self.alias(base.value, scope) == "acts":
            return self._action(node, attr, self.value(base.slice, scope, INT, "a seat"))
        return self._component(node, self.expr(base, scope), attr)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> T.Expr:
        if self.alias(node.value, scope) == "acts":
            self.out.add(
                "E311",
                node,
                "an action is not a value by itself",
                "write acts[i].move or acts[i].use",
            )
            return self.poison()
        base = self.expr(node.value, scope)
        return self.element(base, node, scope)

    def element(self, base: T.Expr, node: ast.Subscript, scope: Scope) -> T.Expr:
        index = self.index(base.type, node.slice, scope, node.value)
        if index is None or not isinstance(base.type, Grid | Array):
            return self.poison()
        return T.Element(base, index, base.type.elem)

    def index(
        self, base: Type, node: ast.expr, scope: Scope, whole: ast.expr | None = None
    ) -> T.Expr | None:
        """The index expression for a base of that type, written ``whole``; None when reported."""
        match base:
            case Grid():
                wanted: Scalar = POS
            case Array(index=enum):
                wanted = enum_type(enum) if enum else INT
            case Scalar(kind="Poison"):
                self.expr(node, scope)
                return None
            case _:
                hint = ""
                if isinstance(base, TableRef) and whole is not None:
                    hint = f"loop over it: for row in {ast.unparse(whole)}:"
                elif base in (POS, VEC2):
                    parts = (".row", ".col") if base == POS else (".x", ".y")
                    hint = f"its parts are {parts[0]} and {parts[1]}"
                self.out.add("E307", node, f"{show(base)} cannot be indexed", hint)
                return None
        found = self.expr(node, scope)
        if found.type == POISON:
            return None
        if found.type != wanted:
            hint = "write Pos(row, col)" if wanted == POS else ""
            if isinstance(wanted, Scalar) and wanted.kind == "Enum":
                hint = f"use a member, such as {self._first_member(wanted.enum)}"
            self.out.add(
                "E307",
                node,
                f"{show(base)} is indexed by {show(wanted)}, not {show(found.type)}",
                hint,
            )
            return None
        if isinstance(found, T.Literal):
            # a literal index shapes the program: it stays static, so reads of one seat are slices
            return T.Const(int(found.value), INT)
        return found


def _unchained(node: ast.Compare) -> str:
    """How a chained comparison is said with ``and``."""
    operands = [node.left, *node.comparators]
    parts = [
        ast.unparse(ast.Compare(left, [op], [right]))
        for left, op, right in zip(operands, node.ops, operands[1:])
    ]
    text = " and ".join(parts)
    return f"write {text}" if len(text) < 80 else "write a < b and b < c"
