"""Typing of expressions: Python expression nodes → typed tree nodes."""

from __future__ import annotations

import ast

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import BUILTINS, TABLE, nearest_name
from envs_dsl.language.declare import Declarations, constant
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.resolve import forms, resolve
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
    DIR,
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
from envs_dsl.language.vocabulary import ACTIONS, DIRS, TAGS, VERBS

__all__ = ["Expressions", "TooLarge"]

MAX_NODES = 20_000
"""Typed nodes after inlining: an expansion bomb is stopped while it grows, not afterwards."""

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.USub: "neg", ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Eq: "eq",
    ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "neg": "-",
    "not": "not", "and": "and", "or": "or",
}  # fmt: skip
_NAMES_AS_CALLS = ("ROW", "COL", "BORDER")
_FUNCTIONS = tuple(
    row.name for row in BUILTINS if row.group != "effects" and row.name not in _NAMES_AS_CALLS
)


class TooLarge(Exception):
    """The expanded program has more than MAX_NODES nodes."""


class Expressions:
    """Checks expressions. ``types`` records the type of every source expression, for ``mutate``."""

    def __init__(self, declared: Declarations, out: Diagnostics) -> None:
        self.declared = declared
        self.out = out
        self.types: dict[int, Type] = {}
        self.nodes = 0
        self.used_params: set[str] = set()
        self.used_verbs: set[int] = set()
        self.inlined = 0

    # supplied by the statement checker, which derives from this class
    def inline(self, name: str, node: ast.Call, scope: Scope) -> T.Expr:
        raise NotImplementedError

    def poison(self) -> T.Expr:
        return T.Const(0, POISON)

    def count(self, node: T.Expr) -> T.Expr:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooLarge
        return node

    def expr(self, node: ast.expr, scope: Scope) -> T.Expr:
        """Type one expression; a faulty one is reported and comes back as poison."""
        result = self.count(self._expr(node, scope))
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

    @staticmethod
    def _convert_hint(found: Type, wanted: Type) -> str:
        if found == FLOAT and wanted == INT:
            return "use floor(x) or round(x)"
        if isinstance(wanted, Scalar) and wanted.kind == "Enum":
            return f"use a member, such as {wanted.enum}.NAME"
        return ""

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

    # --- forms ----------------------------------------------------------------

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
                return self._operator(node, _OPERATORS.get(type(op)), (operand,), scope)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operator(node, _OPERATORS.get(type(op)), (left, right), scope)
            case ast.BoolOp(op=op, values=values):
                return self._boolop(node, _OPERATORS[type(op)], values, scope)
            case ast.Compare(left=left, ops=ops, comparators=rights):
                if len(ops) > 1:
                    self.out.add(
                        "E102",
                        node,
                        "a chained comparison is not in the language",
                        "write a < b and b < c",
                    )
                    return self.poison()
                return self._compare(node, _OPERATORS.get(type(ops[0])), left, rights[0], scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._conditional(node, test, body, orelse, scope)
        return self.poison()  # already reported by the whitelist

    def _constant(self, node: ast.expr, value: object) -> T.Expr:
        if isinstance(value, bool):
            return T.Const(value, BOOL)
        if isinstance(value, int):
            if not -(2**31) <= value < 2**31:
                self.out.add("E308", node, "the number does not fit 32 bits")
                return self.poison()
            return T.Literal(value, INT)
        if isinstance(value, float):
            if not abs(value) <= 3e38:
                self.out.add("E308", node, "the number does not fit a 32-bit float")
                return self.poison()
            return T.Literal(value, FLOAT)
        what = "a text" if isinstance(value, str) else "this constant"
        self.out.add("E102", node, f"{what} is not a value of the language")
        return self.poison()

    def _name(self, node: ast.expr, name: str, scope: Scope) -> T.Expr:
        if name in scope.tree_names:
            scope.read.add(name)
            if name not in scope.assigned:
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
        if name in declared.constants:
            return self._constant(node, declared.constants[name])
        if name in declared.params:
            self.used_params.add(name)
            index = list(declared.params).index(name)
            return T.ParamRef(index, INT if declared.params[name].is_int else FLOAT)
        if name in DIRS:
            return T.Const(DIRS.index(name), DIR)
        if name in _NAMES_AS_CALLS:
            elem = BOOL if name == "BORDER" else INT
            return T.Call(name, (), Grid(elem))
        if name in ("s", "act", "acts") or name in declared.enums:
            self.out.add(
                "E311", node, f"{name} is not a value by itself", f"write {name}.something"
            )
            return self.poison()
        if name in TABLE or name in declared.functions:
            self.out.add("E311", node, f"{name} is a function", f"call it: {name}(...)")
            return self.poison()
        near = nearest_name(
            name,
            [
                *scope.tree_names,
                *scope.rows,
                *declared.constants,
                *declared.params,
                *declared.enums,
                *DIRS,
                *_NAMES_AS_CALLS,
            ],
        )
        fields = declared.fields
        hint = (
            f"fields are read as s.{name}"
            if name in fields
            else (f"did you mean {near}?" if near else "")
        )
        self.out.add("E201", node, f"unknown name {name}", hint)
        return self.poison()

    def alias(self, node: ast.expr, scope: Scope) -> str:
        """ "s", "act", "acts" or "" for what ``node`` names (helpers may rename them)."""
        if isinstance(node, ast.Name) and node.id not in scope.tree_names:
            name = scope.aliases.get(
                node.id, node.id if scope.function in ("reset", "step", "view") else ""
            )
            if name == "s" or (
                name in ("act", "acts") and (scope.function not in ("reset", "view"))
            ):
                return name
        return ""

    def _attribute(self, node: ast.Attribute, scope: Scope) -> T.Expr:
        base, attr = node.value, node.attr
        stands = self.alias(base, scope)
        if stands == "s":
            return self._field(node, attr)
        if stands == "act":
            return self._action(node, attr, None)
        if isinstance(base, ast.Name) and base.id not in scope.tree_names:
            if base.id in self.declared.enums:
                return self._member(node, base.id, attr)
            if base.id in scope.rows:
                return self._column(node, base.id, attr, scope)
        if isinstance(base, ast.Subscript) and self.alias(base.value, scope) == "acts":
            return self._action(node, attr, self.value(base.slice, scope, INT, "a seat"))
        return self._component(node, self.expr(base, scope), attr)

    def _component(self, node: ast.Attribute, value: T.Expr, attr: str) -> T.Expr:
        axis = {"row": (POS, 0), "col": (POS, 1), "x": (VEC2, 0), "y": (VEC2, 1)}.get(attr)
        if value.type == POISON:
            return value
        if axis is None or value.type != axis[0]:
            parts = {POS: "a Pos has .row and .col", VEC2: "a Vec2 has .x and .y"}
            hint = parts.get(value.type, "") if isinstance(value.type, Scalar) else ""
            self.out.add("E202", node, f"{show(value.type)} has no attribute {attr}", hint)
            return self.poison()
        return T.Component(value, axis[1], INT if value.type == POS else FLOAT)

    def _field(self, node: ast.expr, name: str) -> T.Expr:
        if name == "t":
            return T.Clock(INT)
        field = self.declared.fields.get(name)
        if field is None:
            near = nearest_name(name, ["t", *self.declared.fields])
            self.out.add(
                "E202",
                node,
                f"State has no field {name}",
                f"did you mean s.{near}?" if near else "declare it in class State",
            )
            return self.poison()
        if isinstance(field.type, TableRef):
            return T.TableName(name, field.type)
        return T.FieldRef(name, field.type)

    def _member(self, node: ast.expr, enum: str, name: str) -> T.Expr:
        members = self.declared.enums[enum].members
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
            self.out.add("E202", node, f"actions have no {name}", hint)
            return self.poison()
        verb = ACTIONS.index(name)
        self.used_verbs.add(verb)
        return T.Act(verb, seat, BOOL)

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
        index = self.index(base.type, node.slice, scope)
        if index is None or not isinstance(base.type, Grid | Array):
            return self.poison()
        return T.Element(base, index, base.type.elem)

    def index(self, base: Type, node: ast.expr, scope: Scope) -> T.Expr | None:
        """The index expression for a base of that type; None when reported."""
        match base:
            case Grid():
                wanted: Scalar = POS
            case Array(index=enum):
                wanted = enum_type(enum) if enum else INT
            case Scalar(kind="Poison"):
                self.expr(node, scope)
                return None
            case _:
                hint = f"loop over it: for row in s.{'table'}" if isinstance(base, TableRef) else ""
                self.out.add("E307", node, f"{show(base)} cannot be indexed", hint)
                return None
        found = self.expr(node, scope)
        if found.type == POISON:
            return None
        if found.type != wanted:
            hint = "write Pos(row, col)" if wanted == POS else ""
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

    def _operator(
        self, node: ast.expr, op: str | None, operands: tuple[ast.expr, ...], scope: Scope
    ) -> T.Expr:
        args = tuple(self.expr(o, scope) for o in operands)
        if op is None:
            return self.poison()
        return self.apply(node, op, args, "E303")

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
        if op in _SYMBOLS:
            message = f"{_SYMBOLS[op]} does not take {given}"
        else:
            message = f"{op} does not take ({given})"
        enums = [a.type for a in args if isinstance(a.type, Scalar) and a.type.kind == "Enum"]
        if enums and op in _SYMBOLS and op not in ("and", "or", "not"):
            hint = "enums have no arithmetic: compare with a member"
        elif op in ("and", "or", "not"):
            hint = "and, or, not take Bool or Grid(Bool)"
        else:
            hint = f"{op} takes " + " or ".join(
                ", ".join(f.params) or "nothing" for f in forms(TABLE[op])
            )
        self.out.add(code, node, message, hint)

    def _boolop(self, node: ast.expr, op: str, values: list[ast.expr], scope: Scope) -> T.Expr:
        result = self.expr(values[0], scope)
        for value in values[1:]:
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
            if enum in self.declared.enums:
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

    def condition(self, node: ast.expr, scope: Scope) -> T.Expr:
        """A test of ``if``: one Bool, not constant."""
        test = self.expr(node, scope)
        if test.type not in (BOOL, POISON):
            hint = (
                "reduce the grid with any(...) or all(...)"
                if test.type == Grid(BOOL)
                else "compare it with something"
            )
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

    # --- calls ----------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> T.Expr:
        if not isinstance(node.func, ast.Name):
            self.out.add(
                "E102", node.func, "only builtins and helpers can be called", "write name(...)"
            )
            return self.poison()
        name = node.func.id
        if name in self.declared.functions and name not in ("reset", "step", "view"):
            return self.inline(name, node, scope)
        row = next((r for r in BUILTINS if r.name == name), None)
        if row is None or name in _NAMES_AS_CALLS:
            near = nearest_name(name, [*_FUNCTIONS, *self.declared.functions])
            hint = (
                f"{name} is a name, not a call"
                if row
                else (f"did you mean {near}?" if near else "see the builtins of the reference")
            )
            self.out.add("E201", node, f"unknown function {name}", hint)
            return self.poison()
        if row.effect:
            self.out.add(
                "E311",
                node,
                f"{name}(...) is a statement, not a value",
                "write it on a line of its own",
            )
            return self.poison()
        if node.keywords:
            self.out.add("E309", node.keywords[0], f"{name} takes no named arguments")
            return self.poison()
        if name == "alive":
            return self._alive(node, scope)
        return self._builtin(node, name, scope)

    def _alive(self, node: ast.Call, scope: Scope) -> T.Expr:
        arg = node.args[0] if len(node.args) == 1 else None
        if isinstance(arg, ast.Name) and arg.id in scope.rows:
            tree_name, table = scope.rows[arg.id]
            return T.Column(table, tree_name, "alive", BOOL)
        self.out.add(
            "E303", node, "alive takes the row variable of a loop", "for b in s.bats: … alive(b)"
        )
        return self.poison()

    def _builtin(self, node: ast.Call, name: str, scope: Scope) -> T.Expr:
        row = TABLE[name]
        shapes = forms(row)
        counts = {len(f.params) for f in shapes}
        given = len(node.args)
        if given not in counts and not (row.variadic and given > min(counts)):
            wanted = " or ".join(str(c) for c in sorted(counts))
            listed = " or ".join("(" + ", ".join(f.params) + ")" for f in shapes)
            self.out.add(
                "E309",
                node,
                f"{name} takes {wanted} argument{'' if wanted == '1' else 's'}, not {given}",
                f"{name}{listed}",
            )
            for arg in node.args:
                self.expr(arg, scope)
            return self.poison()
        params = next((f.params for f in shapes if len(f.params) == given), shapes[0].params)
        args = []
        for i, arg in enumerate(node.args):
            pattern = params[min(i, len(params) - 1)]
            if pattern == "Const":
                args.append(self._const_arg(arg, name))
            elif pattern == "Tag":
                args.append(self._tag_arg(arg))
            else:
                args.append(self.expr(arg, scope))
        return self.apply(node, name, tuple(args), "E303")

    def _const_arg(self, node: ast.expr, name: str) -> T.Expr:
        value = constant(node)
        if value is None and isinstance(node, ast.Name):
            value = self.declared.constants.get(node.id)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 64:
            self.out.add(
                "E308", node, f"the last argument of {name} must be a constant from 1 to 64"
            )
            return self.poison()
        return T.Const(value, INT)

    def _tag_arg(self, node: ast.expr) -> T.Expr:
        word = node.value if isinstance(node, ast.Constant) else None
        if word not in TAGS:
            near = nearest_name(str(word), TAGS)
            self.out.add(
                "E204",
                node,
                "a tag name in quotes is needed",
                f'did you mean "{near}"?' if near else "tags: " + ", ".join(TAGS),
            )
            return self.poison()
        return T.Const(TAGS.index(word), INT)
