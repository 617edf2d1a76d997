"""Words, numbers, texts, signs and the white space that belongs to them."""

from __future__ import annotations

import keyword

from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.ebnf import Chars, Expr, choice, identifier, many, maybe, some, words
from envs_dsl.language.grammar.parts import GAP, LINE_END, SPACE, refs
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.language.parse import MAX_BLOCKS
from envs_dsl.language.vocabulary import COLORS, DIRS, SKILLS, TAGS, VERBS

__all__ = ["lexemes"]


def _quoted(names: tuple[str, ...]) -> Expr:
    return ('"', words(names), '"')


def lexemes() -> dict[str, Expr]:
    """The terminals, in capitals, and what stands where an argument must be constant."""
    digits = some(Chars("0-9"))
    whole = choice("0", (Chars("1-9"), many(Chars("0-9"))))
    power = ("e", maybe(words("+-")), digits)
    inside = Chars(" !#-\\[\\]-~")  # no quotes, no backslash
    quoted = ('"', choice(inside, "\n"))
    long = choice(inside, "\n", quoted, ('"', *quoted))
    python = (*keyword.kwlist,)
    return {
        "constant_argument": choice(*refs("INT", "NAME")),
        **{
            f"NEWLINE_{depth}": (some(*LINE_END), " " * 4 * depth)
            for depth in range(MAX_BLOCKS + 1)
        },
        "LPAR": ("(", GAP),
        "RPAR": (GAP, maybe(",", GAP), ")"),
        "RPAR_ONLY": (GAP, ")"),
        "LBRACKET": ("[", GAP),
        "RBRACKET": (GAP, maybe(",", GAP), "]"),
        "COMMA": (GAP, ",", GAP),
        "COLON": (SPACE, ":"),
        "OF_TYPE": (SPACE, ":", SPACE),
        "EQUALS": (SPACE, "=", SPACE),
        "ASSIGN": (SPACE, "=", SPACE),
        "CHANGE": (SPACE, words(("+=", "-=", "*=")), SPACE),
        "CLASS": ("class", some(Chars(" "))),
        "DEF": ("def", some(Chars(" "))),
        "IF": ("if", some(Chars(" "))),
        "ELIF": ("elif", some(Chars(" "))),
        "ELSE": "else",
        "FOR": ("for", some(Chars(" "))),
        "IN": (some(Chars(" ")), "in", some(Chars(" "))),
        "PASS": "pass",
        "BREAK": "break",
        "CONTINUE": "continue",
        "RETURN": "return",
        "GIVE_BACK": ("return", some(Chars(" "))),
        "INT": whole,
        "FLOAT": choice((digits, ".", many(Chars("0-9")), maybe(*power)), (digits, *power)),
        "DIRECTION": words(DIRS),
        "BOARD": words(NAMES_AS_CALLS),
        "VERB": _quoted(VERBS),
        "SKILL": _quoted(SKILLS),
        "TAG": _quoted(TAGS),
        "TAG_NAME": words(TAGS),
        "COLOR": _quoted(COLORS),
        "GLYPH": ('"', Chars("!#-&*-Z^-z|~"), '"'),
        "NOTE": ('"""', many(long), '"""'),
        "DOCSTRING": (
            ('"""', many(Chars(" \\n"))),
            choice(Chars("!#-\\[\\]-~"), (quoted), ('"', *quoted)),
            (many(long), '"""'),
        ),
        "PICTURE": choice(
            ('"""', many(Chars(" !#-\\[\\]-~\\n")), '"""'),
            ('"', many(Chars(" !#-\\[\\]-~")), '"'),
        ),
        "WORD": identifier(python),
        "NAME": identifier({*python, *RESERVED} - {"s", "act", "acts"}),
    }
