"""A checked program, opened for rewriting: its syntax tree, its types, and what operators ask."""

from __future__ import annotations

import ast
import copy
import dataclasses
import textwrap
from collections.abc import Iterator
from typing import Any

from envs_dsl.language.check import analyse
from envs_dsl.language.parse import parse_python
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, EnumDecl, Field, Grid, Scalar, Type

__all__ = ["Site", "Subject", "expression", "open_subject", "statements", "walk_blocks"]


@dataclasses.dataclass(frozen=True)
class Site:
    """A place that holds an expression: ``getattr(parent, slot)``, or entry ``index`` of that."""

    parent: ast.AST
    slot: str
    index: int | None
    function: str

    @property
    def node(self) -> Any:
        held = getattr(self.parent, self.slot)
        return held if self.index is None else held[self.index]

    def put(self, node: ast.expr) -> None:
        if self.index is None:
            setattr(self.parent, self.slot, node)
        else:
            getattr(self.parent, self.slot)[self.index] = node


@dataclasses.dataclass
class Subject:
    """A program being mutated. Operators edit ``module`` in place.

    Attributes:
      module: Python's syntax tree. tree: the typed tree.
      types: type of each expression in a function body, by the node's identity.
    """

    module: ast.Module
    types: dict[int, Type]
    tree: Tree

    # --- parts of the program ---------------------------------------------------------------

    def function(self, name: str) -> ast.FunctionDef:
        return next(
            n for n in self.module.body if isinstance(n, ast.FunctionDef) and n.name == name
        )

    def klass(self, name: str) -> ast.ClassDef:
        return next(n for n in self.module.body if isinstance(n, ast.ClassDef) and n.name == name)

    @property
    def functions(self) -> list[ast.FunctionDef]:
        """reset, step and the helpers (``view`` changes no behaviour)."""
        return [n for n in self.module.body if isinstance(n, ast.FunctionDef) and n.name != "view"]

    @property
    def params(self) -> list[ast.Assign]:
        """The lines ``NAME = Param(...)``."""
        return [
            n for n in self.module.body if isinstance(n, ast.Assign) and called(n.value) == "Param"
        ]

    @property
    def game(self) -> ast.Call:
        """The ``Game(...)`` call."""
        node = next(
            n for n in self.module.body if isinstance(n, ast.Assign) and called(n.value) == "Game"
        )
        assert isinstance(node.value, ast.Call)
        return node.value

    # --- what is where --------------------------------------------------------------------------

    def sites(self, type_: Type | None = None) -> list[Site]:
        """Typed expression sites of reset, step and the helpers, outermost first."""
        return [
            site
            for site in all_sites(self.functions)
            if id(site.node) in self.types and (type_ is None or self.types[id(site.node)] == type_)
        ]

    def player(self) -> Field | None:
        """The single player's field (Pos or Vec2); None with several seats or none on the board."""
        if self.tree.game.players != 1:
            return None
        for field in self.tree.fields:
            if isinstance(field.type, Scalar) and field.type.kind in ("Pos", "Vec2"):
                return None if field.hidden else field
            if isinstance(field.type, Array) and field.players:
                return None
        return None

    def board(self) -> tuple[Field, EnumDecl] | None:
        """The visible enum grid and its enum."""
        for field in self.tree.fields:
            if isinstance(field.type, Grid) and field.type.elem.kind == "Enum" and not field.hidden:
                return field, self.tree.enum(field.type.elem.enum)
        return None

    def floor(self) -> str | None:
        """The board's member for "nothing here": untagged, at best the one it starts with."""
        found = self.board()
        if found is None:
            return None
        field, enum = found
        plain = [m for m, look in zip(enum.members, enum.looks) if not look.tags]
        initial = enum.members[int(field.init)] if isinstance(field.init, int) else ""
        if initial in plain:
            return initial
        return plain[0] if plain else None

    def names(self) -> set[str]:
        """Every name in use, of any kind."""
        found: set[str] = set()
        for node in ast.walk(self.module):
            match node:
                case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                    found.add(name)
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
        return found

    def fresh(self, name: str, *, local: bool = False) -> str:
        """``name``, with a number behind it where it is taken (for a local: by a plain name)."""
        taken = self.names()
        if local:
            plain = [n for n in ast.walk(self.module) if isinstance(n, ast.Name | ast.arg)]
            taken = {n.id if isinstance(n, ast.Name) else n.arg for n in plain}
        return next(c for c in (name, *(f"{name}{i}" for i in range(2, 99))) if c not in taken)


def open_subject(source: str) -> Subject | None:
    """Open a program text; None when it does not check."""
    found = analyse(source)
    if found.tree is None or found.module is None:
        return None
    return Subject(found.module, found.types, found.tree)


def all_sites(functions: list[ast.FunctionDef]) -> Iterator[Site]:
    """Every expression that is read, with the place that holds it (of targets the indices)."""
    for function in functions:
        stack: list[ast.AST] = list(reversed(function.body))
        while stack:
            parent = stack.pop()
            below: list[ast.AST] = []
            for slot, held in ast.iter_fields(parent):
                entries = list(enumerate(held)) if isinstance(held, list) else [(None, held)]
                for index, node in entries:
                    if not isinstance(node, ast.AST):
                        continue
                    below.append(node)
                    if isinstance(node, ast.expr) and isinstance(
                        getattr(node, "ctx", ast.Load()), ast.Load
                    ):
                        yield Site(parent, slot, index, function.name)
            stack.extend(reversed(below))


def walk_blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Every list of statements of a function, outermost first."""
    stack: list[list[ast.stmt]] = [function.body]
    while stack:
        block = stack.pop()
        yield block
        for node in block:
            if isinstance(node, ast.If | ast.For):
                stack.append(node.body)
                if node.orelse:
                    stack.append(node.orelse)


def called(node: ast.AST | None) -> str:
    """The name of the function that is called at ``node``, or ""."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""


def expression(text: str) -> ast.expr:
    """One expression from text."""
    (statement,) = parse_python(text).body
    assert isinstance(statement, ast.Expr)
    return statement.value


def statements(text: str) -> list[ast.stmt]:
    """Statements from indented text."""
    return parse_python(textwrap.dedent(text)).body


def clone(node: Any) -> Any:
    """A copy that shares no node with the original."""
    return copy.deepcopy(node)
