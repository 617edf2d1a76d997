"""A patch adds one mechanic to a program: declarations, lines of ``reset`` and ``step``, a goal."""

from __future__ import annotations

import ast
import dataclasses
import string
import textwrap
from random import Random
from typing import Literal

from envs_dsl.mutate.blocks import win_guards
from envs_dsl.mutate.subject import Subject, called, expression, statements

__all__ = ["Patch", "apply", "extend", "look_of"]


_ONLY = "Nothing else wins."
"""Parts a new goal from the description of the world it was put into."""


@dataclasses.dataclass
class Patch:
    """One mechanic, as text. Empty parts add nothing.

    Attributes:
      sentence: for the docstring. skill: added to the declared skills.
      params: lines ``NAME = Param(...)``. members: lines of the board's enum. rows: row classes.
      fields: lines of State. verbs: added to the game.
      reset: runs at the end of ``reset``. start, end: of ``step``.
      move: an expression for the move made instead of ``act.move``; ``start`` comes before it.
      goal: a Bool expression. mode: what the goal does to winning: "and" makes it one more
        condition, "instead" makes it the only one.
    """

    sentence: str = ""
    skill: str = ""
    params: list[str] = dataclasses.field(default_factory=list)
    members: list[str] = dataclasses.field(default_factory=list)
    rows: list[str] = dataclasses.field(default_factory=list)
    fields: list[str] = dataclasses.field(default_factory=list)
    verbs: list[str] = dataclasses.field(default_factory=list)
    reset: str = ""
    start: str = ""
    end: str = ""
    move: str = ""
    goal: str = ""
    mode: Literal["and", "instead"] = "and"

    def add(self, other: Patch) -> None:
        """Take over what another patch adds (its goal only where there is none yet)."""
        for name in ("params", "members", "rows", "fields", "verbs"):
            getattr(self, name).extend(getattr(other, name))
        for name in ("reset", "start", "end"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.move = self.move or other.move
        self.goal = self.goal or other.goal


def apply(subject: Subject, patch: Patch) -> bool:
    """Write a patch into the program; False where it finds no place (no ``win`` to change)."""
    step, reset = subject.function("step"), subject.function("reset")
    if patch.goal and not _change_win(step, patch):
        return False
    _declare(subject, patch)
    reset.body += statements(patch.reset)
    if patch.move:
        _redirect(subject, step, patch.move)
    step.body[:0] = statements(patch.start)
    step.body += statements(patch.end)
    if patch.goal and patch.mode == "instead":
        step.body += statements(f"if {patch.goal}:\n    win()\n")
    _describe(subject, patch)
    return True


def _declare(subject: Subject, patch: Patch) -> None:
    body = subject.module.body
    game_at = next(i for i, n in enumerate(body) if isinstance(n, ast.Assign))
    after = max([i for i, n in enumerate(body) if isinstance(n, ast.Assign)], default=game_at)
    body[after + 1 : after + 1] = [n for line in patch.params for n in statements(line)]
    state = subject.klass("State")
    if patch.members:
        board = subject.board()
        assert board is not None
        subject.klass(board[1].name).body += [n for m in patch.members for n in statements(m)]
    at = body.index(state)
    body[at:at] = [n for row in patch.rows for n in statements(row)]
    state.body += [n for line in patch.fields for n in statements(line)]
    if patch.verbs:
        extend(subject.game, "verbs", patch.verbs)
    if patch.skill and patch.skill not in subject.tree.game.skills:
        extend(subject.game, "skills", [patch.skill])


def extend(game: ast.Call, option: str, words: list[str]) -> None:
    """Add words to a list option of ``Game(...)`` (verbs, skills)."""
    keyword = next((k for k in game.keywords if k.arg == option), None)
    if keyword is None:
        keyword = ast.keyword(option, ast.List([], ast.Load()))
        game.keywords.append(keyword)
    assert isinstance(keyword.value, ast.List)
    known = {e.value for e in keyword.value.elts if isinstance(e, ast.Constant)}
    keyword.value.elts += [ast.Constant(w) for w in words if w not in known]


def _change_win(step: ast.FunctionDef, patch: Patch) -> bool:
    guards = win_guards(step)
    if not guards:
        return False
    if patch.mode == "and":
        for guard in guards:
            goal = expression(patch.goal)
            flat = isinstance(guard.test, ast.BoolOp) and isinstance(guard.test.op, ast.And)
            values = guard.test.values if flat else [guard.test]  # type: ignore[attr-defined]
            guard.test = ast.BoolOp(ast.And(), [*values, goal])
        return True

    class Drop(ast.NodeTransformer):
        """``win()`` makes room for the new goal; a block left empty goes as well."""

        def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
            return None if called(node.value) == "win" else node

        def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt] | None:
            self.generic_visit(node)
            if node.body:
                return node
            if not node.orelse:
                return None
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, [])

        def visit_For(self, node: ast.For) -> ast.For | None:
            self.generic_visit(node)
            return node if node.body else None

    Drop().visit(step)
    return True


def _redirect(subject: Subject, step: ast.FunctionDef, move: str) -> None:
    """Make every ``act.move`` of ``step`` the local ``move``, which is set first."""
    name = subject.fresh("move", local=True)
    new = expression(move)

    class Swap(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            self.generic_visit(node)
            mine = isinstance(node.value, ast.Name) and node.value.id == "act"
            return ast.Name(name, ast.Load()) if mine and node.attr == "move" else node

    for node in step.body:
        Swap().visit(node)
    step.body.insert(0, ast.Assign([ast.Name(name, ast.Store())], new))


def _describe(subject: Subject, patch: Patch) -> None:
    first = subject.module.body[0]
    if not (
        patch.sentence and isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    ):
        return
    doc = " ".join(str(first.value.value).split())
    if patch.goal and patch.mode == "instead":
        world = doc.partition(f"{_ONLY} (")[2].removesuffix(")") or doc
        doc = f"{patch.sentence} {_ONLY} ({world})"
    elif len(doc) < 400:  # what was said before stays readable
        doc = f"{doc} {patch.sentence}"
    first.value = ast.Constant("\n".join(textwrap.wrap(doc, 94)))


def look_of(subject: Subject, name: str, rng: Random, options: str, *tags: str) -> tuple[str, str]:
    """A new member of the board's enum with the first colour of ``options`` that nobody has.

    Returns:
      (member name, its declaration).
    """
    board = subject.board()
    assert board is not None
    member = subject.fresh(name)
    glyphs = {look.glyph for look in board[1].looks}
    wanted = [member[0].lower(), member[0], *"*+%&@!?$", *string.ascii_lowercase]
    glyph = next(g for g in wanted if g not in glyphs)  # an enum has 16 members at most
    colors = options.split()
    rng.shuffle(colors)
    used = {look.color for look in board[1].looks}
    color = next((c for c in colors if c not in used), colors[0])
    words = "".join(f", {tag}=True" for tag in tags)
    return member, f'{member} = Look("{glyph}", "{color}"{words})'
