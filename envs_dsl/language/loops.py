"""Typing of loops: every one has a number of trips that is known before the program runs."""

from __future__ import annotations

import ast
import dataclasses

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.declarations import constant
from envs_dsl.language.effects import Effects
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import DIR, INT, POISON, Grid, TableRef, Type, enum_type
from envs_dsl.language.vocabulary import DIRS

__all__ = ["MAX_TRIPS", "Loops"]

MAX_TRIPS = 256


class Loops(Effects):
    """Checks ``for``; the statements of its body are the subclass's."""

    def block(self, body: list[ast.stmt], scope: Scope) -> tuple[T.Block, bool]:
        """The typed statements, and whether every path leaves the block."""
        raise NotImplementedError

    def loop(self, node: ast.For, scope: Scope) -> list[T.Stmt]:
        if not isinstance(node.target, ast.Name):
            self.out.add("E102", node.target, "one loop variable", "for i in range(4):")
            return []
        name = node.target.id
        if (
            name in TABLE
            or name in DIRS
            or name in self.declared.lines
            or name in ("s", "act", "acts")
            or name in scope.aliases
        ):
            self.out.add(
                "E203", node.target, f"{name} is reserved or declared", "choose another name"
            )
            return []
        head = self.iteration(node.iter, scope)
        if head is None:
            head = T.For("range", "", POISON, 1, ())
        tree_name = f"{name}@{self.nodes}"
        self.nodes += 1
        inner_assigned = set(scope.assigned)
        saved = (
            scope.tree_names.get(name),
            scope.types.get(name),
            scope.rows.get(name),
            name in scope.frozen,
        )
        if head.kind == "table":
            scope.tree_names.pop(name, None)
            scope.rows[name] = (tree_name, head.table)
        else:
            scope.rows.pop(name, None)
            scope.tree_names[name], scope.types[name] = tree_name, head.var_type
            scope.assigned.add(name)
        scope.frozen.add(name)
        self.types[id(node.target)] = head.var_type
        scope.loops += 1
        body, _ = self.block(node.body, scope)
        scope.loops -= 1
        self._restore(scope, name, saved)
        scope.assigned = inner_assigned
        return [dataclasses.replace(head, var=tree_name, body=body)]

    @staticmethod
    def _restore(
        scope: Scope, name: str, saved: tuple[str | None, Type | None, tuple[str, str] | None, bool]
    ) -> None:
        tree_name, type_, row, frozen = saved
        for table, value in (
            (scope.tree_names, tree_name),
            (scope.types, type_),
            (scope.rows, row),
        ):
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value  # type: ignore[assignment]
        if not frozen:
            scope.frozen.discard(name)

    def iteration(self, node: ast.expr, scope: Scope) -> T.For | None:
        """The head of a loop over ``node`` (variable and body still empty)."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=args):
                return self._range(node, args)
            case ast.Call(func=ast.Name(id="dirs4" | "dirs8" as name), args=[], keywords=[]):
                return T.For("dirs", "", DIR, 4 if name == "dirs4" else 8, (), start=1)
            case ast.Call(func=ast.Name(id="players"), args=[], keywords=[]):
                return T.For(
                    "players", "", INT, self.declared.game.players if self.declared.game else 1, ()
                )
            case ast.Name(id=name) if name in self.declared.enums:
                return T.For(
                    "enum", "", enum_type(name), len(self.declared.enums[name].members), ()
                )
            case ast.Name(id=name) if name in self.declared.broken:
                return None
            case ast.Attribute(value=base, attr=attr) if self.alias(base, scope) == "s":
                field = self.declared.fields.get(attr)
                if field is not None and isinstance(field.type, TableRef):
                    return T.For(
                        "table",
                        "",
                        TableRef(field.type.row_type, row=True),
                        field.capacity,
                        (),
                        table=attr,
                    )
                if f"State.{attr}" in self.declared.broken or "State" not in self.declared.lines:
                    return None
        hint = "for i in range(4):"
        if isinstance(node, ast.Attribute) and isinstance(self.expr(node, scope).type, Grid):
            hint = "count(mask), any(mask) and where(mask, a, b) work on all cells at once"
        self.out.add(
            "E308",
            node,
            "a loop runs over range(constant), dirs4(), dirs8(), players(), a table or an enum",
            hint,
        )
        return None

    def _range(self, node: ast.Call, args: list[ast.expr]) -> T.For | None:
        numbers = []
        for arg in args:
            value = constant(arg)
            if value is None and isinstance(arg, ast.Name):
                value = self.declared.constants.get(arg.id)
            if not isinstance(value, int) or isinstance(value, bool):
                text = ast.unparse(arg)
                hint = "write a number"
                if isinstance(arg, ast.Name | ast.Attribute | ast.Subscript) and len(text) < 30:
                    hint = f"loop to the largest value and test inside: if i < {text}:"
                self.out.add(
                    "E308", arg, "range needs constants: the number of trips is fixed", hint
                )
                return None
            if not -(2**31) <= value < 2**31:
                self.out.add("E308", arg, "the number does not fit 32 bits")
                return None
            numbers.append(value)
        if not 1 <= len(numbers) <= 3 or (len(numbers) == 3 and numbers[2] == 0) or node.keywords:
            self.out.add("E309", node, "range takes 1 to 3 constants")
            return None
        trips = range(*numbers)
        if not 1 <= len(trips) <= MAX_TRIPS:
            what = f"a loop makes 1 to {MAX_TRIPS} trips, not {len(trips)}"
            self.out.add("E308", node, what, "grid builtins work on all cells at once")
            return None
        return T.For("range", "", INT, len(trips), (), start=trips.start, step=trips.step)
