"""Typing of statements and functions, with definite assignment and inlining of helpers."""

from __future__ import annotations

import ast
import dataclasses

from envs_dsl.language import tree as T
from envs_dsl.language.declarations import constant, parameters
from envs_dsl.language.loops import Loops
from envs_dsl.language.places import read_back, written
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
    FLOAT,
    INT,
    POISON,
    Grid,
    Type,
    show,
)

__all__ = ["Statements"]

_AUG = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}


class Statements(Loops):
    """Checks function bodies; ``function`` is the entry."""

    def function(self, name: str) -> T.Block:
        """The typed body of reset, step or view (empty when it is not declared)."""
        node = self.declared.functions.get(name)
        if node is None:
            return ()
        game = self.declared.game
        single = game is None or game.players == 1 or self.alternate
        wanted = ["s"] if name != "step" else ["s", "act" if single else "acts"]
        given = parameters(node)
        if given != wanted:
            self.out.add("E111", node, f"the head must be def {name}({', '.join(wanted)}):")
        # what they are called matters to nobody further on: a wrong head is told once
        names = [a.arg for a in node.args.args][: len(wanted)]
        scope = Scope(name, aliases={**{w: w for w in wanted}, **dict(zip(names, wanted))})
        block, _ = self.block(node.body, scope)
        self.unread(scope)
        return block

    def unread(self, scope: Scope) -> None:
        for local, place in scope.lines.items():
            if local not in scope.read and not local.startswith("_"):
                self.out.add("W701", place, f"{local} is never read", "use it, or remove the line")

    def block(self, body: list[ast.stmt], scope: Scope) -> tuple[T.Block, bool]:
        """Typed statements, and whether control never reaches their end."""
        found: list[T.Stmt] = []
        ended = False
        for node in body:
            stmts, ends = self.statement(node, scope)
            if not ended:
                found.extend(stmts)
            ended = ended or ends
        return tuple(found), ended

    def statement(self, node: ast.stmt, scope: Scope) -> tuple[list[T.Stmt], bool]:
        self.count()
        match node:
            case ast.Pass():
                return [], False
            case ast.Assign(targets=[target], value=value):
                return self.assign(target, value, scope), False
            case ast.Assign():
                self.out.add("E102", node, "one target an assignment", "write two assignments")
            case ast.AugAssign():
                return self.augmented(node, scope), False
            case ast.AnnAssign(target=target, value=annotated):
                what = "annotations belong in class State"
                self.out.add("E102", node, what, "assign without one")
                if annotated is not None:
                    return self.assign(target, annotated, scope), False
            case ast.If():
                return self.branch(node, scope)
            case ast.For():
                return self.loop(node, scope), False
            case ast.Break() | ast.Continue():
                if not scope.loops:
                    self.out.add(
                        "E102",
                        node,
                        f"{'break' if isinstance(node, ast.Break) else 'continue'} outside a loop",
                        "return leaves the function",
                    )
                    return [], False
                return [T.Break() if isinstance(node, ast.Break) else T.Continue()], True
            case ast.Return(value=value):
                return self.give_back(node, value, scope), True
            case ast.Expr(value=ast.Constant(value=str())):
                return [], False  # a docstring of a function
            case ast.Expr(value=ast.Call() as call):
                return self.effect(call, None, scope), False
            case ast.Expr():
                self.out.add(
                    "E311", node, "a value that nobody uses", "assign it, or remove the line"
                )
            case ast.FunctionDef() | ast.ClassDef():
                self.out.add("E111", node, "functions and classes stand at the top level")
        return [], False

    def give_back(self, node: ast.Return, value: ast.expr | None, scope: Scope) -> list[T.Stmt]:
        if not scope.pure:
            if value is not None:
                self.out.add("E311", node, f"{scope.function} returns nothing", "write return")
            return [T.Return()]
        if value is None:
            self.out.add("E313", node, "a helper returns a value", "write return value")
            scope.returns = scope.returns or POISON
            return [T.Return(self.poison())]
        found = self.expr(value, scope)
        if scope.returns is None or scope.returns == POISON:
            scope.returns = found.type
        fitted = self.widen(found, scope.returns)
        if fitted is None:
            self.out.add(
                "E301",
                value,
                f"the helper returned {show(scope.returns)} before, and {show(found.type)} here",
                "return Float first, or use floor(x) or round(x)"
                if (scope.returns, found.type) == (INT, FLOAT)
                else "a helper has one type of result",
            )
            fitted = self.poison()
        return [T.Return(fitted)]

    # --- assignment ---

    def assign(self, target: ast.expr, value: ast.expr, scope: Scope) -> list[T.Stmt]:
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id == "spawn"
        ):
            return self.effect(value, target, scope)
        if isinstance(target, ast.Name):
            typed = self.expr(value, scope)
            return self.store_local(target, typed, scope)
        place = self.place(target, scope)
        if place is None:
            self.expr(value, scope)
            return []
        typed = self.value(value, scope, self._accepts(place.type, value), written(target))
        if isinstance(place.type, Grid) and typed.type == place.type.elem:
            typed = T.Call("where", (T.Const(True, BOOL), typed, self._whole(place)), place.type)
        return [T.Assign(place, typed)]

    def _accepts(self, wanted: Type, value: ast.expr) -> Type:
        """A whole grid also takes one value for all its cells: ``s.board = Tile.FLOOR``."""
        if isinstance(wanted, Grid):
            match value:
                case ast.Attribute(value=ast.Name(id=name)) if name in self.declared.enums:
                    return wanted.elem
                case ast.Name(id=name) if (
                    name in self.declared.constants or name in self.declared.values
                ):
                    return wanted.elem
            if constant(value) is not None:
                return wanted.elem
        return wanted

    @staticmethod
    def _whole(place: T.Place) -> T.Expr:
        return T.FieldRef(place.field, place.type)

    def augmented(self, node: ast.AugAssign, scope: Scope) -> list[T.Stmt]:
        op = _AUG.get(type(node.op))
        if op is None:
            text = ast.unparse(ast.BinOp(node.target, node.op, node.value))  # type: ignore[arg-type]
            what = "only += -= *= are in the language"
            self.out.add("E102", node, what, f"write {ast.unparse(node.target)} = {text}")
            return []
        if isinstance(node.target, ast.Name):
            current = self._name(node.target, node.target.id, scope)
            combined = self.apply(node, op, (current, self.expr(node.value, scope)), "E303")
            return [] if combined.type == POISON else self.store_local(node.target, combined, scope)
        place = self.place(node.target, scope)
        value = self.expr(node.value, scope)
        if place is None:
            return []
        before: list[T.Stmt] = []
        if place.index is not None and not isinstance(place.index, T.Const | T.LocalRef):
            # read and store must use the same cell, and draw only once
            name = f"_index@{self.nodes}"
            before.append(T.Assign(T.LocalTarget(name, place.index.type), place.index))
            place = dataclasses.replace(place, index=T.LocalRef(name, place.index.type))
        combined = self.apply(
            node, op, (read_back(place, self.declared.fields[place.field].type), value), "E303"
        )
        fitted = self.widen(combined, place.type)
        if fitted is None:
            self.out.add(
                "E301",
                node.value,
                f"{written(node.target)} needs {show(place.type)}, not {show(combined.type)}",
                self._convert_hint(combined.type, place.type),
            )
            return []
        return [*before, T.Assign(place, fitted)]

    # --- control ---

    def branch(self, node: ast.If, scope: Scope) -> tuple[list[T.Stmt], bool]:
        test = self.condition(node.test, scope)
        start = set(scope.assigned)
        then, then_ends = self.block(node.body, scope)
        after_then = scope.assigned
        scope.assigned = set(start)
        orelse, else_ends = self.block(node.orelse, scope)
        if then_ends and not else_ends:
            pass
        elif else_ends and not then_ends:
            scope.assigned = after_then
        else:
            scope.assigned = after_then & scope.assigned
        return [T.If(test, then, orelse)], then_ends and else_ends

    # --- helpers ---

    def inline(self, name: str, node: ast.Call, scope: Scope) -> T.Expr:
        """Check the body of helper ``name`` for these argument types, in place of the call."""
        helper = self.declared.functions[name]
        names = parameters(helper)
        if names is None:  # reported where it is declared
            return self.poison()
        if len(node.args) != len(names) or node.keywords:
            plural = "" if len(names) == 1 else "s"
            what = f"{name} takes {len(names)} argument{plural}, not {len(node.args)}"
            if node.keywords:
                what = f"{name} takes no named arguments"
            self.out.add("E309", node, what, f"{name}({', '.join(names)})")
            return self.poison()
        if scope.pure or scope.function in self.declared.functions:
            caller = self.declared.functions.get(scope.function)
            if caller is not None and scope.pure and caller.lineno <= helper.lineno:
                what = f"{scope.function} calls {name}, which is declared below it"
                hint = f"move {name} above {scope.function}"
                if name == scope.function:
                    what = f"{name} calls itself"
                    hint = "repeat with a loop: for i in range(8)"
                self.out.add("E205", node, what, hint)
                return self.poison()
        self.inlined += 1
        inner = Scope(name, pure=True)
        bound: list[tuple[str, T.Expr]] = []
        for parameter, arg in zip(names, node.args, strict=True):
            stands = self.alias(arg, scope)
            if stands:
                inner.aliases[parameter] = stands
            elif (
                isinstance(arg, ast.Name)
                and arg.id in scope.rows
                and arg.id not in scope.tree_names
            ):
                inner.rows[parameter] = scope.rows[arg.id]
                inner.frozen.add(parameter)
            else:
                typed = self.expr(arg, scope)
                tree_name = f"{parameter}@{self.inlined}"
                inner.tree_names[parameter], inner.types[parameter] = tree_name, typed.type
                inner.assigned.add(parameter)
                bound.append((tree_name, typed))
        body, ends = self.block(helper.body, inner)
        self.unread(inner)
        if not ends or inner.returns is None:
            what = f"{name} does not return a value on every path"
            if not inner.changes:  # else it was meant as a procedure, and that is told
                self.out.add("E313", helper, what, "end it with return value")
            return self.poison()
        return T.Inline(name, tuple(bound), body, inner.returns)
