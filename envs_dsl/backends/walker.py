"""The walker: runs a typed tree, one node at a time, on all copies at once.

One walker serves both back ends; ``ops`` holds the few primitives in which they differ. Branches
are predicated: every statement gets the mask of the copies that execute it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envs_dsl.backends.changes import Changes, changes_of, locals_in
from envs_dsl.backends.control import branch, give_back, jump_out, loop, next_trip
from envs_dsl.backends.effects import effect, kill, spawn
from envs_dsl.backends.expressions import EXPRESSIONS
from envs_dsl.backends.kit import DEAD, Mask
from envs_dsl.backends.machine import Machine
from envs_dsl.backends.places import assign, swap
from envs_dsl.language import tree as T

__all__ = ["Walker"]

STATEMENTS: dict[type, Callable[..., Mask]] = {
    T.Assign: assign,
    T.If: branch,
    T.For: loop,
    T.Break: jump_out,
    T.Continue: next_trip,
    T.Return: give_back,
    T.Effect: effect,
    T.Spawn: spawn,
    T.Kill: kill,
    T.Swap: swap,
}


class Walker(Machine):
    """A machine with its dispatch tables."""

    def run(self, block: T.Block, mask: Mask) -> Mask:
        for stmt in block:
            if mask is DEAD:
                break
            mask = STATEMENTS[type(stmt)](self, stmt, mask)
        return mask

    def value_of(self, expr: T.Expr, mask: Mask) -> Any:
        return EXPRESSIONS[type(expr)](self, expr, mask)

    def changes(self, node: T.For) -> Changes:
        note = self.notes.get(id(node))
        if note is None:
            note = self.notes[id(node)] = changes_of(self.tree, node.body)
        return note

    def locals_of(self, node: T.Inline) -> tuple[str, ...]:
        note = self.notes.get(id(node))
        if note is None:
            note = self.notes[id(node)] = locals_in(node.body)
        return note
