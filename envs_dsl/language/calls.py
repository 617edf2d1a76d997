"""Typing of calls: builtins of the table, and helpers, which are inlined."""

from __future__ import annotations

import ast

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import BUILTINS, TABLE, Builtin, nearest_name
from envs_dsl.language.declarations import constant
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.language.operators import Operators
from envs_dsl.language.resolve import forms
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import BOOL, INT, POS, Grid, TableRef, enum_type
from envs_dsl.language.vocabulary import TAGS

__all__ = ["Calls"]

_ROWS = {row.name: row for row in BUILTINS}
_FUNCTIONS = tuple(
    row.name for row in BUILTINS if row.group != "effects" and row.name not in NAMES_AS_CALLS
)
_EFFECTS = tuple(row.name for row in BUILTINS if row.group == "effects")

_PYTHON = {
    "len": "count(grid) and count_alive(table) tell how many; lengths are constants",
    "sum": "total(grid) adds numbers, count(grid) counts true cells",
    "int": "write floor(x) or round(x)",
    "float": "an Int widens to Float by itself",
    "print": "remove the line: what a game shows is its state",
}
"""What stands for a function of Python that is not there."""


class Calls(Operators):
    """Resolves calls with the builtin table."""

    def inline(self, name: str, node: ast.Call, scope: Scope) -> T.Expr:
        """Check a helper in place of its call (``statements.Statements``)."""
        raise NotImplementedError

    def _call(self, node: ast.Call, scope: Scope) -> T.Expr:
        if not isinstance(node.func, ast.Name):
            what = "only builtins and helpers can be called"
            self.out.add("E102", node.func, what, self._call_hint(node.func, scope))
            return self.poison()
        name = node.func.id
        if name in self.declared.broken:
            return self.poison()
        if name in self.declared.functions and name not in ("reset", "step", "view"):
            return self.inline(name, node, scope)
        row = _ROWS.get(name)
        if row is None or name in NAMES_AS_CALLS:
            near = nearest_name(name, [*_FUNCTIONS, *_EFFECTS, *self.declared.functions])
            hint = f"did you mean {near}?" if near else "write a helper: def name(a, b):"
            hint = _PYTHON.get(name, hint)
            if name in self.declared.enums:
                member = next(iter(self.declared.enums[name].members))
                hint = f"write a member, such as {name}.{member}"
            what = f"unknown function {name}"
            if row:
                what, hint = f"{name} is a name, not a call", f"write {name}"
            self.out.add("E201", node, what, hint)
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
            what = f"{name} takes no named arguments"
            self.out.add("E309", node.keywords[0], what, "write the values in order")
            return self.poison()
        if name == "alive":
            return self._alive(node, scope)
        if name == "paint":
            return self._paint(node)
        return self._builtin(node, name, scope)

    def _call_hint(self, func: ast.expr, scope: Scope) -> str:
        if isinstance(func, ast.Attribute):
            base = func.value
            if isinstance(base, ast.Attribute) and self.alias(base.value, scope) == "s":
                field = self.declared.fields.get(base.attr)
                if field is not None and isinstance(field.type, TableRef):
                    row = f"s.{base.attr}"
                    return f"write name(...); a row is added with spawn({row}, ...)"
            if func.attr in TABLE:
                return f"write {func.attr}(...)"
        return "write name(...)"

    def _alive(self, node: ast.Call, scope: Scope) -> T.Expr:
        arg = node.args[0] if len(node.args) == 1 else None
        if isinstance(arg, ast.Name) and self.is_poison(arg, scope):
            return self.poison()
        if isinstance(arg, ast.Name) and arg.id in scope.rows:
            tree_name, table = scope.rows[arg.id]
            return T.Column(table, tree_name, "alive", BOOL)
        self.out.add(
            "E303", node, "alive takes the row variable of a loop", "for b in s.bats: ... alive(b)"
        )
        return self.poison()

    def _paint(self, node: ast.Call) -> T.Expr:
        arg = node.args[0] if len(node.args) == 1 else None
        name = arg.id if isinstance(arg, ast.Name) else ""
        layouts = self.declared.layouts
        if name in self.declared.broken:
            return self.poison()
        if name not in layouts:
            near = nearest_name(name, layouts) or next(iter(layouts), None)
            hint = f"did you mean paint({near})?" if near else 'LEVEL = Layout("""...""")'
            self.out.add("E303", node, "paint takes the name of a Layout", hint)
            return self.poison()
        self.used_layouts.add(name)
        layout = layouts[name]
        if not layout.enum:
            return self.poison()
        return T.Painted(layout.cells, Grid(enum_type(layout.enum)))

    def _builtin(self, node: ast.Call, name: str, scope: Scope) -> T.Expr:
        row = TABLE[name]
        shapes = forms(row)
        counts = {len(f.params) for f in shapes}
        given = len(node.args)
        if given not in counts and not (row.variadic and given > min(counts)):
            wanted = " or ".join(str(c) for c in sorted(counts))
            listed = " or ".join("(" + ", ".join(f.params) + ")" for f in shapes)
            what = f"{name} takes {wanted} argument{'' if wanted == '1' else 's'}, not {given}"
            hint = f"{name}{listed}"
            if name == "distance" and given == 2:
                hint += "; between two cells it is manhattan(p, q)"
            self.out.add("E309", node, what, hint)
            for arg in node.args:
                self.expr(arg, scope)
            return self.poison()
        if row.group == "tables" and not self._standing(node, row, scope):
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

    def _standing(self, node: ast.Call, row: Builtin, scope: Scope) -> bool:
        """Whether the first argument is a table whose rows stand somewhere, where one is needed."""
        if not row.signatures[0].startswith("Table") or row.name == "count_alive":
            return True
        arg = node.args[0]
        is_field = isinstance(arg, ast.Attribute) and self.alias(arg.value, scope) == "s"
        field = self.declared.fields.get(arg.attr) if is_field else None  # type: ignore[attr-defined]
        if field is None or not isinstance(field.type, TableRef):
            return True  # reported when the argument is typed
        columns = self.declared.rows[field.type.row_type].columns
        names = {name.partition(".")[0] for name in self.declared.broken if "." in name}
        if any(c.type == POS for c in columns) or field.type.row_type in names:
            return True
        what = f"{row.name} needs rows with a place, and {field.type.row_type} has no column of Pos"
        self.out.add("E303", arg, what, f"add pos: Pos to class {field.type.row_type}")
        return False

    def _const_arg(self, node: ast.expr, name: str) -> T.Expr:
        value = constant(node)
        if value is None and isinstance(node, ast.Name):
            value = self.declared.constants.get(node.id)
        most = 9 if name == "rooms" else 64
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            what = f"the last argument of {name} must be a constant from 1 to {most}"
            self.out.add("E308", node, what, "write a number")
            return self.poison()
        return T.Const(value, INT)

    def _tag_arg(self, node: ast.expr) -> T.Expr:
        word = node.value if isinstance(node, ast.Constant) else None
        if word not in TAGS:
            near = nearest_name(str(word), TAGS)
            self.out.add(
                "E204",
                node,
                f"a tag name in quotes is needed, not {ast.unparse(node)[:40]}",
                f'did you mean "{near}"?' if near else "tags: " + ", ".join(TAGS),
            )
            return self.poison()
        return T.Const(TAGS.index(word), INT)
