"""What the rules of the grammar are put together from."""

from __future__ import annotations

from envs_dsl.language.builtins import Builtin
from envs_dsl.language.ebnf import Chars, Expr, Ref, choice, many, maybe

__all__ = ["BLANK", "COMMENT", "GAP", "LINE_END", "SPACE", "arguments", "listed", "refs", "shapes"]

SPACE = many(Chars(" "))
COMMENT = ("#", many(Chars(" -~")))
LINE_END = (SPACE, maybe(*COMMENT), "\n")
BLANK = choice(Chars(" \\n"), (*COMMENT, "\n"))
GAP = many(BLANK)
"""White space within brackets: line ends and comments too."""


def refs(*names: str) -> tuple[Expr, ...]:
    """Rules, one after the other."""
    return tuple(Ref(name) for name in names)


def listed(item: Expr) -> tuple[Expr, ...]:
    """One or more, with commas."""
    return (item, many(Ref("COMMA"), item))


def shapes(row: Builtin) -> list[tuple[str, ...]]:
    """The rules of a builtin's arguments, one tuple for each number of them that it takes."""
    special = {"Const": "constant_argument", "Tag": "TAG", "Row": "NAME", "Layout": "NAME"}
    found = []
    for signature in row.signatures:
        params = [p.strip() for p in signature.partition("->")[0].split(",") if p.strip()]
        found.append(tuple(special.get(p, "expr_in") for p in params))
    return list(dict.fromkeys(found))


def arguments(args: list[Expr], more: tuple[Expr, ...] = ()) -> tuple[Expr, ...]:
    """Arguments with their commas and brackets."""
    listed: list[Expr] = []
    for i, arg in enumerate(args):
        listed += [Ref("COMMA"), arg] if i else [arg]
    return (Ref("LPAR"), *listed, *more, Ref("RPAR"))
