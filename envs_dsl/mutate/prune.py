"""Take one feature out of a program, and sweep up what an edit left without use."""

from __future__ import annotations

import ast
from random import Random

from envs_dsl.language.vocabulary import VERBS
from envs_dsl.mutate.subject import Subject, called

__all__ = ["prune", "tidy"]


def prune(subject: Subject, rng: Random) -> bool:
    """Remove a field (or table), with every statement and condition that mentions it."""
    player, board = subject.player(), subject.board()
    kept = {player.name if player else "", board[0].name if board else ""}
    names = [f.name for f in subject.tree.fields if f.name not in kept]
    if not names:
        return False
    _remove_field(subject, rng.choice(names))
    return True


def tidy(subject: Subject) -> None:
    """Remove what nothing reads any more: fields, locals, parameters, row classes and verbs."""
    while True:
        before = len(list(ast.walk(subject.module)))
        for name in _unread_fields(subject):
            _remove_field(subject, name)
        for function in subject.functions:
            _drop_locals(function)
        _drop_declarations(subject)
        _drop_verbs(subject)
        if len(list(ast.walk(subject.module))) == before:
            return


def _remove_field(subject: Subject, name: str) -> None:
    cut = _Cut(name)
    for function in (n for n in subject.module.body if isinstance(n, ast.FunctionDef)):
        cut.visit(function)
        function.body = function.body or [ast.Pass()]
    state = subject.klass("State")
    state.body = [n for n in state.body if _declared(n) != name]


def _declared(node: ast.stmt) -> str:
    named = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    return node.target.id if named else ""  # type: ignore[attr-defined]


def _unread_fields(subject: Subject) -> list[str]:
    """Fields that are only stored to."""
    stored: set[int] = set()
    for node in ast.walk(subject.module):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            stored.add(id(node))
            stored.add(id(node.value))  # the base of s.f[i] = … and s.f.x = …
    read = {
        n.attr
        for n in ast.walk(subject.module)
        if isinstance(n, ast.Attribute)
        and id(n) not in stored
        and isinstance(n.value, ast.Name)
        and n.value.id == "s"
    }
    board = subject.tree.board
    if board is not None and any(called(n) == "try_move" for n in ast.walk(subject.module)):
        read.add(board.name)  # without being named
    return [f for f in map(_declared, subject.klass("State").body) if f and f not in read]


def _drop_locals(function: ast.FunctionDef) -> None:
    """Assignments to locals that nothing reads."""
    read = {
        n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }

    class Drop(ast.NodeTransformer):
        def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
            target = node.targets[0]
            unread = isinstance(target, ast.Name) and target.id not in read
            return None if unread and called(node.value) != "spawn" else node

        def visit_If(self, node: ast.If) -> ast.stmt | None:
            self.generic_visit(node)
            return _standing(node, node.test)

        def visit_For(self, node: ast.For) -> ast.stmt | None:
            self.generic_visit(node)
            return node if node.body else None

    Drop().visit(function)
    function.body = function.body or [ast.Pass()]


def _drop_declarations(subject: Subject) -> None:
    """Parameters, plain constants and row classes that nothing mentions."""
    used = {
        n.id
        for n in ast.walk(subject.module)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }

    def needed(node: ast.stmt) -> bool:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id in used or node.targets[0].id == "game"
        if isinstance(node, ast.ClassDef) and node.name != "State":
            return node.name in used
        return True

    subject.module.body = [n for n in subject.module.body if needed(n)]


def _drop_verbs(subject: Subject) -> None:
    read = {n.attr for n in ast.walk(subject.module) if isinstance(n, ast.Attribute)} & set(VERBS)
    keyword = next((k for k in subject.game.keywords if k.arg == "verbs"), None)
    if keyword is None or not isinstance(keyword.value, ast.List):
        return
    keyword.value.elts = [
        e for e in keyword.value.elts if isinstance(e, ast.Constant) and e.value in read
    ]
    if not keyword.value.elts:
        subject.game.keywords.remove(keyword)


def _standing(node: ast.If, test: ast.expr) -> ast.If | None:
    """What is left of an ``if`` whose blocks may have become empty."""
    if node.body:
        node.test = test
        return node
    return ast.If(ast.UnaryOp(ast.Not(), test), node.orelse, []) if node.orelse else None


class _Cut(ast.NodeTransformer):
    """Drops what mentions ``s.name``; of a conjunction only the part that does."""

    def __init__(self, name: str) -> None:
        self.name = name

    def _hit(self, node: ast.AST | None) -> bool:
        return node is not None and any(
            isinstance(n, ast.Attribute)
            and n.attr == self.name
            and isinstance(n.value, ast.Name)
            and n.value.id == "s"
            for n in ast.walk(node)
        )

    def _test(self, test: ast.expr) -> ast.expr | None:
        """A test without the parts that mention the feature; None when nothing is left."""
        if not self._hit(test):
            return test
        if isinstance(test, ast.BoolOp):
            parts = [p for p in (self._test(v) for v in test.values) if p is not None]
            if len(parts) > 1:
                return ast.BoolOp(test.op, parts)
            return parts[0] if parts else None
        return None

    def _simple(self, node: ast.stmt) -> ast.stmt | None:
        return None if self._hit(node) else node

    visit_Assign = visit_AugAssign = visit_Expr = visit_Return = _simple

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt] | None:
        test = self._test(node.test)
        self.generic_visit(node)
        if test is None:  # its condition is gone: the else branch is what is left
            return node.orelse or None
        return _standing(node, test)

    def visit_For(self, node: ast.For) -> ast.stmt | None:
        if self._hit(node.iter):
            return None
        self.generic_visit(node)
        return node if node.body else None
