"""The grammar of the language, generated from the builtin table and the fixed words.

What it accepts has the form of a program: sections in their order, four spaces a level, effects
where effects may stand, as many arguments as a builtin takes. It knows no types, and every
identifier that is not a word of the language is a name. So it is wider than the checker there, and
narrower in style: one statement a line, no tabs, double quotes, no escapes in texts.

Indentation is a matter of non-terminals: ``block_2`` is the body of what stands in ``block_1``, and
its lines begin with ``NEWLINE_2``: line ends, blank lines, comments, then exactly eight spaces.
Blocks come in four kinds, since ``break`` belongs into loops and only helpers return values.

Expressions come twice: in brackets (``_in``) they may run over several lines, outside they may not.
White space belongs to the operator or bracket that stands in it, so nothing is ignored anywhere.
"""

from __future__ import annotations

from typing import Literal

from envs_dsl.language.ebnf import Expr, gbnf, lark
from envs_dsl.language.grammar.blocks import functions, statements
from envs_dsl.language.grammar.debts import Debt, debts, paying
from envs_dsl.language.grammar.expressions import calls, expressions
from envs_dsl.language.grammar.lexemes import lexemes
from envs_dsl.language.grammar.limits import SMALL, WIDE, Limits
from envs_dsl.language.grammar.module import declarations, fields, program
from envs_dsl.language.grammar.next_line import (
    condition,
    entity_row,
    entity_table,
    literally,
    next_line,
)
from envs_dsl.language.grammar.parts import GAP, SPACE
from envs_dsl.language.grammar.sofar import SoFar, read_so_far

__all__ = [
    "FORMATS",
    "SMALL",
    "WIDE",
    "Debt",
    "Limits",
    "SoFar",
    "condition",
    "debts",
    "entity_row",
    "entity_table",
    "grammar",
    "literally",
    "next_line",
    "paying",
    "read_so_far",
    "rules",
]

FORMATS = ("lark", "gbnf")

_HEADER = """{sign} The environment language: python -m envs_dsl grammar --format {format}
{sign} In order: the program and its declarations, functions, blocks by depth, expressions outside
{sign} and inside of brackets, calls, words. Operators and brackets own the white space around them.
"""


def grammar(format: Literal["lark", "gbnf"] = "lark") -> str:
    """The grammar as text: "lark" (Lark, llguidance) or "gbnf" (llama.cpp and others).

    Raises:
      ValueError: another format.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: use lark or gbnf")
    header = _HEADER.format(sign="//" if format == "lark" else "#", format=format)
    return header + (lark if format == "lark" else gbnf)(rules())


def rules() -> dict[str, Expr]:
    """Name → expression; ``start`` first, then in the order in which they are used."""
    return {
        **program(),
        **declarations(),
        **fields(),
        **functions(),
        **statements(),
        **expressions("", SPACE),
        **expressions("_in", GAP),
        **calls(),
        **lexemes(),
    }
