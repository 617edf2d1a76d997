"""Rebuilding a typed tree, and the fields of its nodes."""

from __future__ import annotations

import dataclasses
from typing import Any

from envs_dsl.language import tree as T

__all__ = ["NODES", "Rewriter", "field_names", "replaced"]


class Rewriter:
    """Rebuilds a block bottom-up, in evaluation order; subclasses change the nodes they want."""

    def block(self, block: T.Block) -> T.Block:
        return tuple(self.visit(stmt) for stmt in block)

    def visit(self, node: Any) -> Any:
        if type(node) is tuple:
            items = []
            same = True
            for item in node:  # no comprehension: it would take a stack frame more at every level
                new = self.visit(item)
                same = same and new is item
                items.append(new)
            return node if same else tuple(items)
        names = _VISITED.get(type(node))
        if names is None:
            return node
        changed = {}
        for name in names:
            value = getattr(node, name)
            if type(value) is tuple or type(value) in _VISITED:
                new = self.visit(value)
                if new is not value:
                    changed[name] = new
        return self.leave(replaced(node, changed) if changed else node)

    def leave(self, node: Any) -> Any:
        return node


def field_names(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a dataclass, in order."""
    return tuple(field.name for field in dataclasses.fields(kind))


NODES = tuple(kind for name in T.__all__ if dataclasses.is_dataclass(kind := getattr(T, name)))
"""Kinds of nodes of a typed tree."""

_ALL: dict[type, tuple[str, ...]] = {kind: field_names(kind) for kind in NODES}  # type: ignore[misc]

_VISITED: dict[type, tuple[str, ...]] = {
    **dict.fromkeys(_ALL, ()),
    T.Element: ("base", "index"),
    T.Component: ("base",),
    T.Call: ("args",),
    T.Inline: ("params", "body"),
    T.Act: ("seat",),
    T.Place: ("index",),
    T.Assign: ("value", "target"),
    T.If: ("test", "then", "orelse"),
    T.For: ("body",),
    T.Return: ("value",),
    T.Effect: ("args", "seat"),
    T.Spawn: ("columns", "ok"),
    T.Swap: ("first", "second"),
}
"""Fields that hold nodes, in evaluation order: the value of an assignment before the index of its
target."""


def replaced(node: Any, changed: dict[str, Any]) -> Any:
    """``dataclasses.replace``, which is slow where it is called ten thousand times."""
    kind = type(node)
    return kind(*[changed[n] if n in changed else getattr(node, n) for n in _ALL[kind]])
