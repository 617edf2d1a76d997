"""Typing of assignment targets: locals, and places in the state."""

from __future__ import annotations

import ast
import dataclasses

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.expressions import Expressions
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    FLOAT,
    INT,
    POISON,
    POS,
    VEC2,
    Array,
    Grid,
    TableRef,
    Type,
    show,
)
from envs_dsl.language.vocabulary import DIRS

__all__ = ["Places", "read_back", "written"]


class Places(Expressions):
    """Checks what is assigned to."""

    def store_local(self, target: ast.Name, typed: T.Expr, scope: Scope) -> list[T.Stmt]:
        name = target.id
        if name in scope.frozen or name in scope.rows:
            self.out.add("E305", target, f"{name} is a loop variable", "use another name")
            return []
        if name in scope.aliases or name in ("s", "act", "acts"):
            self.out.add("E305", target, f"{name} cannot be assigned to")
            return []
        known = self.declared.lines.get(name)
        if name in self.declared.broken:
            return []
        if name in TABLE or name in DIRS or known:
            scope.broken.add(name)
            self.out.add(
                "E203",
                target,
                f"{name} is " + (f"declared on line {known}" if known else "reserved"),
                "choose another name",
            )
            return []
        if isinstance(typed.type, TableRef):
            self.out.add("E301", target, "a table cannot be kept in a local", "loop over it")
            return []
        before = scope.types.get(name)
        if before is None or before == POISON:
            scope.types[name] = typed.type
            scope.tree_names.setdefault(name, f"{name}@{self.inlined}" if scope.pure else name)
            scope.lines.setdefault(name, (target.lineno, target.col_offset + 1))
        else:
            fitted = self.widen(typed, before)
            if fitted is None:
                hint = (
                    f"start with {name} = 0.0"
                    if (before, typed.type) == (INT, FLOAT)
                    else "use another name"
                )
                self.out.add(
                    "E301", target, f"{name} holds {show(before)}, not {show(typed.type)}", hint
                )
                return []
            typed = fitted
        scope.assigned.add(name)
        self.types[id(target)] = scope.types[name]
        return [T.Assign(T.LocalTarget(scope.tree_names[name], scope.types[name]), typed)]

    def place(self, node: ast.expr, scope: Scope) -> T.Place | None:
        """The stored-to part of the state that ``node`` names; None when reported."""
        place = self._place(node, scope)
        if place is not None:
            self.types[id(node)] = place.type
            if scope.pure or scope.function == "view":
                scope.changes = True
                where = "view only draws" if scope.function == "view" else "helpers are pure"
                self.out.add(
                    "E312", node, f"{where}: the state cannot change here", "do it in step"
                )
        return place

    def _place(self, node: ast.expr, scope: Scope) -> T.Place | None:
        match node:
            case ast.Attribute(value=base, attr=attr):
                if self.alias(base, scope) == "s":
                    if attr == "t" or (attr == "turn" and self.alternate):
                        what = f"s.{attr} cannot be assigned to"
                        self.out.add("E305", node, what, "keep a counter of your own")
                        return None
                    typed = self._field(node, attr)
                    if isinstance(typed, T.TableName):
                        self.out.add(
                            "E305",
                            node,
                            f"s.{attr} is a table",
                            f"spawn(s.{attr}, ...) adds a row, kill(row) removes one",
                        )
                        return None
                    return T.Place(attr, typed.type) if isinstance(typed, T.FieldRef) else None
                if (
                    isinstance(base, ast.Name)
                    and base.id in scope.rows
                    and base.id not in scope.tree_names
                ):
                    column = self._column(node, base.id, attr, scope)
                    if not isinstance(column, T.Column):
                        return None
                    return T.Place(column.table, column.type, row=column.row, column=attr)
                inner = (
                    self._place(base, scope)
                    if isinstance(base, ast.Attribute | ast.Subscript)
                    else None
                )
                if inner is None:
                    told = isinstance(base, ast.Name) and (
                        base.id not in scope.aliases
                        and base.id not in self.declared.enums
                        and self.expr(base, scope).type == POISON
                    )
                    if not told and not isinstance(base, ast.Attribute | ast.Subscript):
                        self.out.add(
                            "E305",
                            node,
                            "this cannot be assigned to",
                            "assign to s.field, s.field[i], row.column or a local",
                        )
                    return None
                part = self._component(node, T.Const(0, inner.type), attr)  # type: ignore[arg-type]
                if not isinstance(part, T.Component):
                    return None
                return dataclasses.replace(inner, component=part.axis, type=part.type)
            case ast.Subscript(value=base, slice=index_node):
                if not isinstance(base, ast.Attribute):
                    self.out.add("E305", node, "this cannot be assigned to", "assign to s.field[i]")
                    return None
                inner = self._place(base, scope)
                if inner is None:
                    return None
                index = self.index(inner.type, index_node, scope)
                if index is None or not isinstance(inner.type, Grid | Array):
                    return None
                return dataclasses.replace(inner, index=index, type=inner.type.elem)
        self.out.add(
            "E305",
            node,
            "this cannot be assigned to",
            "assign to s.field, s.field[i], row.column or a local",
        )
        return None


def read_back(place: T.Place, whole: Type) -> T.Expr:
    """The expression that reads what ``place`` stores to."""
    base: T.Expr
    if place.row is not None:
        # the column's own type: with a component, ``place.type`` is the part's
        kind = place.type if place.component is None else (VEC2 if place.type == FLOAT else POS)
        base = T.Column(place.field, place.row, str(place.column), kind)  # type: ignore[arg-type]
    else:
        base = T.FieldRef(place.field, whole)
        if place.index is not None:
            assert isinstance(whole, Grid | Array)
            base = T.Element(base, place.index, whole.elem)
    if place.component is None:
        return base
    return T.Component(base, place.component, place.type)  # type: ignore[arg-type]


def written(node: ast.expr) -> str:
    return ast.unparse(node)
