"""Operators on statements: guards, order, copies, and what it takes to win."""

from __future__ import annotations

import ast
from random import Random

from envs_dsl.mutate.small import condition
from envs_dsl.mutate.subject import Subject, called, clone, walk_blocks

__all__ = [
    "add_guard",
    "delete_statement",
    "duplicate_statement",
    "move_statement",
    "move_win",
    "remove_guard",
    "win_guards",
]

_ENDS = ("win", "lose", "draw")


def add_guard(subject: Subject, rng: Random) -> bool:
    """Put a condition before one statement of ``step``, or into the test of an ``if``."""
    step = subject.function("step")
    places = [(b, i) for b in walk_blocks(step) for i in range(len(b)) if _effective(b[i])]
    if not places:
        return False
    block, i = rng.choice(places)
    test = condition(subject, "step", rng)
    node = block[i]
    if isinstance(node, ast.If):
        node.test = _both(node.test, test)
    else:
        block[i] = ast.If(test, [node], [])
    return True


def remove_guard(subject: Subject, rng: Random) -> bool:
    """Drop one condition of ``step``: a part of a test, or a whole ``if`` around its body."""
    step = subject.function("step")
    tests = [n for n in ast.walk(step) if isinstance(n, ast.BoolOp)]
    places = [
        (b, i)
        for b in walk_blocks(step)
        for i in range(len(b))
        if isinstance(b[i], ast.If) and not b[i].orelse and not _ends(b[i])  # type: ignore[attr-defined]
    ]
    if tests and (not places or rng.random() < 0.6):
        test = rng.choice(tests)
        test.values.pop(rng.randrange(len(test.values)))
        if len(test.values) == 1:  # written as one and, which prints as the operand alone
            test.values.append(clone(test.values[0]))
            _collapse(step)
        return True
    if not places:
        return False
    block, i = rng.choice(places)
    block[i : i + 1] = block[i].body  # type: ignore[attr-defined]
    return True


def duplicate_statement(subject: Subject, rng: Random) -> bool:
    """Do one thing twice (a step, a payment, a loop over a table)."""
    step = subject.function("step")
    places = [(b, i) for b in walk_blocks(step) for i in range(len(b)) if _repeats(b[i])]
    if not places:
        return False
    block, i = rng.choice(places)
    block.insert(i + 1, clone(block[i]))
    return True


def move_statement(subject: Subject, rng: Random) -> bool:
    """Move a statement of ``step`` to another place in its block."""
    blocks = [b for b in walk_blocks(subject.function("step")) if len(b) > 1]
    if not blocks:
        return False
    block = rng.choice(blocks)
    i = rng.randrange(len(block))
    j = rng.choice([k for k in range(len(block)) if k != i])
    block.insert(j, block.pop(i))
    return True


def delete_statement(subject: Subject, rng: Random) -> bool:
    """Remove one statement of ``reset`` or ``step``."""
    blocks = [
        b for name in ("reset", "step") for b in walk_blocks(subject.function(name)) if len(b) > 1
    ]
    places = [(b, i) for b in blocks for i in range(len(b)) if called(_value(b[i])) not in _ENDS]
    if not places:
        return False
    block, i = rng.choice(places)
    del block[i]
    return True


def move_win(subject: Subject, rng: Random) -> bool:
    """Change what it takes to win: one more condition, one less, or another event altogether."""
    step = subject.function("step")
    guards = win_guards(step)
    if not guards:
        return False
    guard = rng.choice(guards)
    kind = rng.choice(("more", "less", "other", "swap"))
    if kind == "less" and isinstance(guard.test, ast.BoolOp):
        guard.test.values.pop(rng.randrange(len(guard.test.values)))
        if len(guard.test.values) == 1:
            guard.test = guard.test.values[0]
        return True
    others = [n for n in ast.walk(step) if isinstance(n, ast.If) and n is not guard]
    if kind == "other" and others:
        other = rng.choice(others)
        wins = [n for n in guard.body if called(_value(n)) == "win"]
        guard.body = [n for n in guard.body if n not in wins] or [ast.Pass()]
        other.body += wins
        return True
    if kind == "swap" and others:
        other = rng.choice(others)
        guard.test, other.test = other.test, guard.test
        return True
    guard.test = _both(guard.test, condition(subject, "step", rng))
    return True


def win_guards(step: ast.FunctionDef) -> list[ast.If]:
    """The ``if`` statements that hold a ``win`` directly."""
    return [
        n
        for n in ast.walk(step)
        if isinstance(n, ast.If) and any(called(_value(b)) == "win" for b in n.body)
    ]


def _both(first: ast.expr, second: ast.expr) -> ast.BoolOp:
    values = (
        [*first.values]
        if isinstance(first, ast.BoolOp) and isinstance(first.op, ast.And)
        else [first]
    )
    return ast.BoolOp(ast.And(), [*values, second])


def _value(node: ast.stmt) -> ast.expr | None:
    return node.value if isinstance(node, ast.Expr) else None


def _effective(node: ast.stmt) -> bool:
    """Whether a guard before the statement changes more than the value of a local."""
    if isinstance(node, ast.Assign):
        return not isinstance(node.targets[0], ast.Name)
    return isinstance(node, ast.AugAssign | ast.Expr | ast.If)


def _ends(node: ast.AST) -> bool:
    """Whether an end of the episode is called below: such a guard is what the game is about."""
    return any(called(n) in _ENDS for n in ast.walk(node))


def _repeats(node: ast.stmt) -> bool:
    """Whether doing the statement twice differs from doing it once."""
    match node:
        case ast.AugAssign() | ast.For():
            return True
        case ast.Expr(value=value):
            return called(value) in ("reward", "swap")
        case ast.Assign(targets=[target], value=value):
            return any(ast.dump(n) == ast.dump(_read(target)) for n in ast.walk(value))
        case ast.If(orelse=[]):
            return any(_repeats(n) for n in node.body) and not _ends(node)
    return False


def _read(target: ast.expr) -> ast.expr:
    """A store target as it looks when it is read."""
    copied = clone(target)
    copied.ctx = ast.Load()
    return copied


def _collapse(function: ast.FunctionDef) -> None:
    """Replace ``x and x`` by ``x`` everywhere."""

    class Collapse(ast.NodeTransformer):
        def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
            self.generic_visit(node)
            first = ast.dump(node.values[0])
            return node.values[0] if all(ast.dump(v) == first for v in node.values) else node

    Collapse().visit(function)
