"""How much of the language programs use: statements, and calls of each builtin."""

from __future__ import annotations

import collections

from envs_dsl import Program
from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE

__all__ = ["tally"]


def tally(program: Program) -> tuple[int, collections.Counter[str]]:
    """The number of statements of the typed tree, and how often each builtin occurs in it."""
    statements, used = 0, collections.Counter[str]()
    for node in T.walk((*program.tree.reset, *program.tree.step, *program.tree.view)):
        statements += isinstance(node, T.Stmt)
        match node:
            case T.Call(op=name) | T.Effect(op=name):
                used[name] += 1
            case T.Spawn() | T.Kill() | T.Swap():
                used[type(node).__name__.lower()] += 1
            case T.Painted():
                used["paint"] += 1
            case T.Column(column="alive"):
                used["alive"] += 1
    assert set(used) <= set(TABLE)
    return statements, used
