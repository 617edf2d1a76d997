"""What a block of statements may change: the variables that a loop over it has to carry."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from envs_dsl.backends.machine import AGAIN, FAULT, OUTCOME, SHAPING, Key
from envs_dsl.language import tree as T
from envs_dsl.language.types import TableRef, Type

__all__ = ["Changes", "changes_of", "locals_in"]


@dataclasses.dataclass(frozen=True)
class Changes:
    """Effects of a block.

    Attributes:
      variables: variables it assigns; locals with their type, state with None.
      kills: tables it may kill rows of.
      breaks: it has a ``break`` of the loop whose body it is.
      returns: it has a ``return`` of the function it stands in.
    """

    variables: dict[Key, Type | None]
    kills: frozenset[str]
    breaks: bool
    returns: bool


def changes_of(tree: T.Tree, block: T.Block) -> Changes:
    """The effects of a block; locals of inlined calls are not counted, they end with the call."""
    variables: dict[Key, Type | None] = {FAULT: None}
    kills: set[str] = set()
    breaks = returns = False

    def table(name: str) -> None:
        type_ = tree.field(name).type
        assert isinstance(type_, TableRef)
        for column in tree.row(type_.row_type).columns:
            variables["column", name, column.name] = None
        variables["column", name, "alive"] = None

    for node, inlined, nested in _nodes(block):
        match node:
            case T.LocalTarget(name=name, type=type_) if not inlined:
                variables["local", name] = type_
            case T.Place(field=field, column=None):
                variables["field", field] = None
            case T.Place(field=field, column=str(column)):
                variables["column", field, column] = None
            case T.Swap(field=field):
                variables["field", field] = None
            case T.Spawn(table=name):
                table(name)
            case T.Kill(table=name):
                table(name)
                kills.add(name)
            case T.Effect(op="reward"):
                variables[SHAPING] = None
            case T.Effect(op="win" | "lose" | "draw"):
                variables[OUTCOME] = None
            case T.Effect(op="again"):
                variables[AGAIN] = None
            case T.Break() if not nested and not inlined:
                breaks = True
            case T.Return() if not inlined:
                returns = True
    return Changes(variables, frozenset(kills), breaks, returns)


def locals_in(body: T.Block) -> tuple[str, ...]:
    """Locals that the body of an inlined call assigns."""
    names = (
        node.name
        for node, inlined, _ in _nodes(body)
        if isinstance(node, T.LocalTarget) and not inlined
    )
    return tuple(dict.fromkeys(names))


def _nodes(block: T.Block) -> Iterator[tuple[object, bool, bool]]:
    """All nodes below, with: inside an inlined call, inside a loop of the block's own."""
    stack: list[tuple[object, bool, bool]] = [(stmt, False, False) for stmt in block]
    while stack:
        node, inlined, nested = stack.pop()
        yield node, inlined, nested
        inlined = inlined or isinstance(node, T.Inline)
        nested = nested or isinstance(node, T.For)
        stack.extend((child, inlined, nested) for child in T.children(node))
