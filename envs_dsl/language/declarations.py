"""What a program declares, as one record."""

from __future__ import annotations

import ast
import dataclasses

from envs_dsl.language.builtins import TABLE
from envs_dsl.language.layouts import LayoutDecl
from envs_dsl.language.types import (
    EnumDecl,
    Field,
    Game,
    Param,
    RowDecl,
)
from envs_dsl.language.vocabulary import DIRS

__all__ = ["RESERVED", "Declarations", "Plain", "constant", "parameters", "text_of"]

RESERVED = frozenset(TABLE) | set(DIRS) | {
    "s", "act", "acts", "game", "State", "Enum", "Row", "Game", "Param", "Look", "Layout", "Table",
    "Array", "Players", "Hidden", "Grid", "Bool", "Int", "Float", "Dir", "range", "dirs4", "dirs8",
    "players", "reset", "step", "view", "True", "False", "None",
}  # fmt: skip

Plain = bool | int | float


@dataclasses.dataclass
class Declarations:
    """What the module level declares.

    ``constants`` are plain numbers and ``values`` places, vectors, directions and members of enums;
    both are inlined where named.

    ``broken`` holds what was declared with a fault: names, and fields and columns as
    ``State.name`` or ``Bat.name``, and verbs as ``act.name``. They are kept so that their uses are
    no faults of their own.
    ``verb_places`` says where verbs are listed.
    """

    doc: str = ""
    game: Game | None = None
    params: dict[str, Param] = dataclasses.field(default_factory=dict)
    constants: dict[str, Plain] = dataclasses.field(default_factory=dict)
    values: dict[str, ast.expr] = dataclasses.field(default_factory=dict)
    layouts: dict[str, LayoutDecl] = dataclasses.field(default_factory=dict)
    enums: dict[str, EnumDecl] = dataclasses.field(default_factory=dict)
    rows: dict[str, RowDecl] = dataclasses.field(default_factory=dict)
    fields: dict[str, Field] = dataclasses.field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = dataclasses.field(default_factory=dict)
    broken: set[str] = dataclasses.field(default_factory=set)
    verb_places: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    lines: dict[str, int] = dataclasses.field(default_factory=dict)


def constant(node: ast.AST | None) -> Plain | None:
    """The plain number or truth value written at ``node`` (a minus sign is allowed), else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant(node.operand)
        return None if inner is None or isinstance(inner, bool) else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return node.value
    return None


def text_of(node: ast.AST | None) -> str | None:
    """The text written at ``node`` in quotes, else None."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def parameters(node: ast.FunctionDef) -> list[str] | None:
    """Names of the parameters; None where a name comes twice, or for defaults, stars or types."""
    args = node.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        return None
    names = [a.arg for a in args.args]
    if node.returns is not None or any(a.annotation is not None for a in args.args):
        return None
    return names if len(set(names)) == len(names) else None
