"""What of a function can run and matter: the rest is dropped."""

from __future__ import annotations

import dataclasses

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE

__all__ = ["live"]


def live(block: T.Block) -> T.Block:
    """Without statements behind a break/continue/return, empty branches and locals nobody needs."""
    needs: dict[str, set[str]] = {}
    needed = _needs(block, frozenset(), needs)
    stack = list(needed)
    while stack:
        for name in needs.pop(stack.pop(), ()):
            if name not in needed:
                needed.add(name)
                stack.append(name)
    return _drop(block, needed)


def _needs(block: T.Block, tests: frozenset[str], needs: dict[str, set[str]]) -> set[str]:
    """Locals that must be kept whatever else is; ``needs`` gets those that a local is made from.

    ``tests``: locals that the branches around ``block`` are decided by.
    """
    needed: set[str] = set()
    for stmt in block:
        match stmt:
            case T.Assign(target=T.LocalTarget(name=name), value=value):
                reads = _reads((value,)) | tests
                if _draws(value):
                    needed |= reads
                needs.setdefault(name, set()).update(reads)
            case T.If(test=test, then=then, orelse=orelse):
                inner = _reads((test,)) | tests
                if _draws(test):
                    needed |= inner
                for arm in (then, orelse):
                    needed |= _needs(arm, frozenset(inner), needs)
            case T.For(body=body):
                needed |= _needs(body, tests, needs)
            case _:
                needed |= _reads((stmt,)) | tests
                if isinstance(stmt, T.Spawn) and isinstance(stmt.ok, T.LocalTarget):
                    needs.setdefault(stmt.ok.name, set())
                if isinstance(stmt, T.Break | T.Continue | T.Return):
                    break
    return needed


def _reads(block: T.Block | tuple[T.Expr, ...]) -> set[str]:
    return {n.name for n in T.walk(block) if isinstance(n, T.LocalRef)}


def _drop(block: T.Block, read: set[str]) -> T.Block:
    kept: list[T.Stmt] = []
    for stmt in block:
        match stmt:
            case T.Assign(target=T.LocalTarget(name=name), value=value) if (
                name not in read and not _draws(value)
            ):
                continue
            case T.If(test=test, then=then, orelse=orelse):
                then, orelse = _drop(then, read), _drop(orelse, read)
                if not then and not orelse and not _draws(test):
                    continue
                kept.append(T.If(test, then, orelse))
            case T.For(body=body):
                body = _drop(body, read)
                if body:
                    kept.append(dataclasses.replace(stmt, body=body))
            case _:
                kept.append(stmt)
                if isinstance(stmt, T.Break | T.Continue | T.Return):
                    break
    return tuple(kept)


def _draws(expr: T.Expr) -> bool:
    return any(isinstance(n, T.Call) and TABLE[n.op].draws for n in T.walk((expr,)))
