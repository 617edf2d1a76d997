"""Names that are new."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Literal

from envs_dsl.language.allowed import MAX_NAME
from envs_dsl.language.ebnf import Chars, Except, Expr, maybe

__all__ = ["new_name"]

NameKind = Literal["local", "constant", "class"]

_SHORT = 14
_FIRST = {"local": "a-z", "constant": "A-Z", "class": "A-Z"}
_LATER = {"local": "a-z_", "constant": "A-Z_", "class": "a-z"}


def new_name(taken: Iterable[str], kind: NameKind, short: bool) -> Expr:
    """A lexeme: a name that is none of ``taken`` and no word of Python.

    Args:
      kind: how it is written where ``short``: ``two_words``, ``TWO_WORDS`` or ``Word``.
      short: names of few letters; else any name.
    """
    words = (*sorted({*taken, *keyword.kwlist, "filler_"}),)
    if short:
        return Except((Chars(_FIRST[kind]), _up_to(Chars(_LATER[kind]), _SHORT - 1)), words)
    return Except((Chars("A-Z_a-z"), _up_to(Chars("0-9A-Z_a-z"), MAX_NAME - 1)), words)


def _up_to(part: Expr, times: int) -> Expr:
    found: Expr = maybe(part)
    for _ in range(times - 1):
        found = maybe(part, found)
    return found
