"""The module level: game header, declarations, the fields of State and of rows."""

from __future__ import annotations

from envs_dsl.language.ebnf import Expr, Ref, choice, many, maybe, some
from envs_dsl.language.grammar.parts import listed, refs

__all__ = ["declarations", "fields", "program"]


def program() -> dict[str, Expr]:
    """The order of the sections, and the game header."""
    line = Ref("NEWLINE_0")
    helpers = many(line, Ref("helper"))
    return {
        "start": (
            maybe(Ref("NEWLINE_0")),
            *refs("DOCSTRING", "NEWLINE_0", "game"),
            many(line, Ref("declaration")),
            *refs("NEWLINE_0", "state"),
            helpers,
            *refs("NEWLINE_0", "reset"),
            helpers,
            *refs("NEWLINE_0", "step"),
            helpers,
            maybe(line, Ref("view"), helpers),
            maybe(line),
        ),
        "game": (
            ("game", Ref("ASSIGN"), "Game", Ref("LPAR"), Ref("size"), Ref("COMMA")),
            choice(
                (
                    Ref("max_steps"),
                    maybe(*refs("COMMA", "players")),
                    maybe(*refs("COMMA", "turns")),
                ),
                (*refs("players", "COMMA"), maybe(*refs("turns", "COMMA")), Ref("max_steps")),
            ),
            maybe(*refs("COMMA", "verbs")),
            maybe(*refs("COMMA", "skills")),
            maybe(*refs("COMMA", "camera")),
            Ref("RPAR"),
        ),
        "size": ("size=", *refs("LPAR", "INT", "COMMA", "INT", "RPAR")),
        "max_steps": ("max_steps=", Ref("INT")),
        "players": ("players=", Ref("INT")),
        "turns": ("turns=", choice('"simultaneous"', '"alternate"')),
        "verbs": ("verbs=", Ref("LBRACKET"), maybe(*listed(Ref("VERB"))), Ref("RBRACKET")),
        "skills": ("skills=", Ref("LBRACKET"), maybe(*listed(Ref("SKILL"))), Ref("RBRACKET")),
        "camera": ("camera=", choice('"player"', '"board"')),
    }


def declarations() -> dict[str, Expr]:
    """Constants, parameters, layouts, enums, rows and State."""
    low_high = (*refs("COMMA", "number", "COMMA", "number"),)
    return {
        "declaration": choice(*refs("constant", "enum", "row")),
        "constant": (*refs("NAME", "ASSIGN"), choice(*refs("initial", "param", "layout"))),
        "param": (
            ("Param", *refs("LPAR", "number"), *low_high),
            maybe(Ref("COMMA"), "harder=", choice('"up"', '"down"')),
            Ref("RPAR"),
        ),
        "layout": ("Layout", *refs("LPAR", "PICTURE", "RPAR")),
        "enum": (
            *refs("CLASS", "NAME"),
            ("(Enum)", Ref("COLON")),
            some(*refs("NEWLINE_1", "member")),
        ),
        "member": (
            (*refs("WORD", "ASSIGN"), "Look", *refs("LPAR", "GLYPH", "COMMA", "COLOR")),
            many(*refs("COMMA", "TAG_NAME", "EQUALS", "truth")),
            Ref("RPAR"),
        ),
        "row": (
            *refs("CLASS", "NAME"),
            ("(Row)", Ref("COLON")),
            some(Ref("NEWLINE_1"), choice(*refs("field", "PASS"))),
        ),
        "state": (
            (Ref("CLASS"), "State", Ref("COLON")),
            some(Ref("NEWLINE_1"), choice(*refs("field", "PASS"))),
        ),
    }


def fields() -> dict[str, Expr]:
    """Fields with their types and initial values."""
    limits = (*refs("LPAR", "limit", "COMMA", "limit", "RPAR"),)
    return {
        "field": (*refs("WORD", "OF_TYPE", "type"), maybe(*refs("ASSIGN", "initial"))),
        "type": choice(
            Ref("scalar"),
            ("Hidden", *refs("LPAR", "type", "RPAR")),
            ("Players", *refs("LPAR", "scalar", "RPAR")),
            (
                ("Grid", *refs("LPAR", "scalar")),
                maybe(Ref("COMMA"), "outside=", Ref("initial")),
                Ref("RPAR"),
            ),
            ("Array", *refs("LPAR", "scalar", "COMMA"), choice(*refs("NAME", "INT")), Ref("RPAR")),
            ("Table", *refs("LPAR", "NAME", "COMMA"), choice(*refs("NAME", "INT")), Ref("RPAR")),
        ),
        "scalar": choice(
            "Bool",
            "Pos",
            "Dir",
            ("Int", *limits),
            ("Float", *limits),
            ("Vec2", *limits),
            Ref("NAME"),
        ),
        "initial": choice(
            *refs("number", "truth", "NAME", "DIRECTION"),
            (Ref("NAME"), ".", Ref("WORD")),
            ("Pos", *limits),
            ("Vec2", *limits),
        ),
        "limit": (maybe("-"), choice(*refs("INT", "FLOAT", "NAME"))),
        "number": (maybe("-"), choice(*refs("INT", "FLOAT"))),
        "truth": choice("True", "False"),
    }
