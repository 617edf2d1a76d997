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

import keyword
from typing import Literal

from envs_dsl.language.builtins import BUILTINS, Builtin
from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.ebnf import (
    Chars,
    Expr,
    Ref,
    choice,
    gbnf,
    identifier,
    lark,
    many,
    maybe,
    some,
    words,
)
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.language.parse import MAX_BLOCKS
from envs_dsl.language.vocabulary import COLORS, DIRS, SKILLS, TAGS, VERBS

__all__ = ["FORMATS", "grammar", "rules"]

FORMATS = ("lark", "gbnf")

SPACE = many(Chars(" "))
COMMENT = ("#", many(Chars(" -~")))
LINE_END = (SPACE, maybe(*COMMENT), "\n")
BLANK = choice(Chars(" \\n"), (*COMMENT, "\n"))
GAP = many(BLANK)
"""White space within brackets: line ends and comments too."""

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
        **_program(),
        **_declarations(),
        **_fields(),
        **_functions(),
        **_statements(),
        **_expressions("", SPACE),
        **_expressions("_in", GAP),
        **_calls(),
        **_lexemes(),
    }


def _r(*names: str) -> tuple[Expr, ...]:
    return tuple(Ref(name) for name in names)


def _listed(item: Expr, comma: str = "COMMA") -> tuple[Expr, ...]:
    return (item, many(Ref(comma), item))


# --- the module level -----------------------------------------------------------------------------


def _program() -> dict[str, Expr]:
    line = Ref("NEWLINE_0")
    helpers = many(line, Ref("helper"))
    return {
        "start": (
            maybe(Ref("NEWLINE_0")),
            *_r("DOCSTRING", "NEWLINE_0", "game"),
            many(line, Ref("declaration")),
            *_r("NEWLINE_0", "state"),
            helpers,
            *_r("NEWLINE_0", "reset"),
            helpers,
            *_r("NEWLINE_0", "step"),
            helpers,
            maybe(line, Ref("view"), helpers),
            maybe(line),
        ),
        "game": (
            ("game", Ref("ASSIGN"), "Game", Ref("LPAR"), Ref("size"), Ref("COMMA")),
            choice(
                (Ref("max_steps"), maybe(*_r("COMMA", "players")), maybe(*_r("COMMA", "turns"))),
                (*_r("players", "COMMA"), maybe(*_r("turns", "COMMA")), Ref("max_steps")),
            ),
            maybe(*_r("COMMA", "verbs")),
            maybe(*_r("COMMA", "skills")),
            maybe(*_r("COMMA", "camera")),
            Ref("RPAR"),
        ),
        "size": ("size=", *_r("LPAR", "INT", "COMMA", "INT", "RPAR")),
        "max_steps": ("max_steps=", Ref("INT")),
        "players": ("players=", Ref("INT")),
        "turns": ("turns=", choice('"simultaneous"', '"alternate"')),
        "verbs": ("verbs=", Ref("LBRACKET"), maybe(*_listed(Ref("VERB"))), Ref("RBRACKET")),
        "skills": ("skills=", Ref("LBRACKET"), maybe(*_listed(Ref("SKILL"))), Ref("RBRACKET")),
        "camera": ("camera=", choice('"player"', '"board"')),
    }


def _declarations() -> dict[str, Expr]:
    low_high = (*_r("COMMA", "number", "COMMA", "number"),)
    return {
        "declaration": choice(*_r("constant", "enum", "row")),
        "constant": (*_r("NAME", "ASSIGN"), choice(*_r("initial", "param", "layout"))),
        "param": (
            ("Param", *_r("LPAR", "number"), *low_high),
            maybe(Ref("COMMA"), "harder=", choice('"up"', '"down"')),
            Ref("RPAR"),
        ),
        "layout": ("Layout", *_r("LPAR", "PICTURE", "RPAR")),
        "enum": (
            *_r("CLASS", "NAME"),
            ("(Enum)", Ref("COLON")),
            some(*_r("NEWLINE_1", "member")),
        ),
        "member": (
            (*_r("WORD", "ASSIGN"), "Look", *_r("LPAR", "GLYPH", "COMMA", "COLOR")),
            many(*_r("COMMA", "TAG_NAME", "EQUALS", "truth")),
            Ref("RPAR"),
        ),
        "row": (
            *_r("CLASS", "NAME"),
            ("(Row)", Ref("COLON")),
            some(Ref("NEWLINE_1"), choice(*_r("field", "PASS"))),
        ),
        "state": (
            (Ref("CLASS"), "State", Ref("COLON")),
            some(Ref("NEWLINE_1"), choice(*_r("field", "PASS"))),
        ),
    }


def _fields() -> dict[str, Expr]:
    limits = (*_r("LPAR", "limit", "COMMA", "limit", "RPAR"),)
    return {
        "field": (*_r("WORD", "OF_TYPE", "type"), maybe(*_r("ASSIGN", "initial"))),
        "type": choice(
            Ref("scalar"),
            ("Hidden", *_r("LPAR", "type", "RPAR")),
            ("Players", *_r("LPAR", "scalar", "RPAR")),
            (
                ("Grid", *_r("LPAR", "scalar")),
                maybe(Ref("COMMA"), "outside=", Ref("initial")),
                Ref("RPAR"),
            ),
            ("Array", *_r("LPAR", "scalar", "COMMA"), choice(*_r("NAME", "INT")), Ref("RPAR")),
            ("Table", *_r("LPAR", "NAME", "COMMA"), choice(*_r("NAME", "INT")), Ref("RPAR")),
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
            *_r("number", "truth", "NAME", "DIRECTION"),
            (Ref("NAME"), ".", Ref("WORD")),
            ("Pos", *limits),
            ("Vec2", *limits),
        ),
        "limit": (maybe("-"), choice(*_r("INT", "FLOAT", "NAME"))),
        "number": (maybe("-"), choice(*_r("INT", "FLOAT"))),
        "truth": choice("True", "False"),
    }


# --- functions and blocks -------------------------------------------------------------------------


def _functions() -> dict[str, Expr]:
    found: dict[str, Expr] = {
        # "def" is a lexeme of its own, as it begins helpers too
        "reset": (Ref("DEF"), "reset", "(s)", *_r("COLON", "rule_block_1")),
        "step": (
            (Ref("DEF"), "step", "(s, ", choice("act", "acts"), ")"),
            _r("COLON", "rule_block_1"),
        ),
        "view": (Ref("DEF"), "view", "(s)", *_r("COLON", "rule_block_1")),
        "helper": (
            (*_r("DEF", "NAME", "LPAR"), maybe(*_listed(Ref("NAME")))),
            *_r("RPAR", "COLON", "helper_block_1"),
        ),
    }
    for depth in range(1, MAX_BLOCKS + 1):
        for kind in ("rule", "helper"):
            for place in ("", "_loop"):
                found |= _block(kind, place, depth)
    return found


def _block(kind: str, place: str, depth: int) -> dict[str, Expr]:
    """The statements of blocks of one kind at one depth."""
    block, statement = (f"{kind}{place}_{part}_{depth}" for part in ("block", "statement"))
    newline, simple = Ref(f"NEWLINE_{depth}"), Ref(f"{kind}{place}_statement")
    if depth == MAX_BLOCKS:
        return {block: some(newline, simple)}
    inner, loop = Ref(f"{kind}{place}_block_{depth + 1}"), Ref(f"{kind}_loop_block_{depth + 1}")
    return {
        block: some(newline, Ref(statement)),
        statement: choice(
            simple,
            (*_r("FOR", "NAME", "IN", "iterable", "COLON"), loop),
            (
                (*_r("IF", "expr", "COLON"), inner),
                many(newline, *_r("ELIF", "expr", "COLON"), inner),
                maybe(newline, *_r("ELSE", "COLON"), inner),
            ),
        ),
    }


def _statements() -> dict[str, Expr]:
    seat_or_color = choice(*_r("expr_in", "COLOR"))
    effects: list[Expr] = []
    for row in (r for r in BUILTINS if r.effect):
        if row.name == "spawn":
            continue
        for shape in _shapes(row):
            args: list[Expr] = [Ref(kind) for kind in shape]
            if row.group == "view":
                args.append(seat_or_color)
            effects.append((row.name, *_arguments(args)))
    loop = (*_r("BREAK", "CONTINUE"),)
    store: Expr = (Ref("target"), choice((Ref("ASSIGN"), Ref("value")), (*_r("CHANGE", "expr"),)))
    local: Expr = (Ref("NAME"), choice(*((*_r(s, "expr"),) for s in ("ASSIGN", "CHANGE"))))
    spawn = (
        ("spawn", *_r("LPAR", "expr_in")),
        (many(*_r("COMMA", "WORD", "EQUALS", "expr_in")), Ref("RPAR")),
    )
    return {
        "rule_statement": choice(store, *_r("effect", "PASS", "RETURN", "NOTE")),
        "rule_loop_statement": choice(Ref("rule_statement"), *loop),
        "helper_statement": choice(local, *_r("PASS", "NOTE"), (*_r("GIVE_BACK", "expr"),)),
        "helper_loop_statement": choice(Ref("helper_statement"), *loop),
        "target": (Ref("NAME"), many(Ref("trailer"))),
        "value": choice(*_r("expr", "spawn")),
        "effect": choice(*effects, Ref("spawn")),
        "spawn": spawn,
        "iterable": choice(
            ("range", *_r("LPAR", "bound"), many(*_r("COMMA", "bound")), Ref("RPAR")),
            ("dirs4", *_r("LPAR", "RPAR")),
            ("dirs8", *_r("LPAR", "RPAR")),
            ("players", *_r("LPAR", "RPAR")),
            (Ref("NAME"), maybe(".", Ref("WORD"))),
        ),
        "bound": choice((maybe("-"), Ref("INT")), Ref("NAME")),
    }


# --- expressions ----------------------------------------------------------------------------------


def _expressions(where: str, space: Expr) -> dict[str, Expr]:
    """Expressions by precedence and their operators, outside ("") or inside ("_in") of brackets."""
    some_space: Expr = some(Chars(" ")) if not where else some(BLANK)

    def rule(name: str) -> Ref:
        return Ref(f"{name}{where}")

    def sign(name: str) -> Ref:
        return Ref(f"{name}{where.upper()}")

    def word(text: str) -> Expr:
        return (some_space, text, some_space)

    return {
        f"expr{where}": (
            rule("either"),
            maybe(sign("THEN_IF"), rule("either"), sign("OR_ELSE"), rule("expr")),
        ),
        f"either{where}": (rule("both"), many(sign("OR"), rule("both"))),
        f"both{where}": (rule("negation"), many(sign("AND"), rule("negation"))),
        f"negation{where}": choice((sign("NOT"), rule("negation")), rule("comparison")),
        f"comparison{where}": (rule("sum"), maybe(sign("COMPARE"), rule("sum"))),
        f"sum{where}": (rule("product"), many(sign("PLUS_MINUS"), rule("product"))),
        f"product{where}": (rule("factor"), many(sign("TIMES_BY"), rule("factor"))),
        f"factor{where}": choice((sign("MINUS"), rule("factor")), Ref("postfix")),
        f"THEN_IF{where.upper()}": word("if"),
        f"OR_ELSE{where.upper()}": word("else"),
        f"OR{where.upper()}": word("or"),
        f"AND{where.upper()}": word("and"),
        f"NOT{where.upper()}": ("not", some_space),
        f"COMPARE{where.upper()}": (space, words(("==", "!=", "<", "<=", ">", ">=")), space),
        f"PLUS_MINUS{where.upper()}": (space, words("+-"), space),
        f"TIMES_BY{where.upper()}": (space, words(("*", "//", "/", "%")), space),
        f"MINUS{where.upper()}": ("-", space),
    }


def _calls() -> dict[str, Expr]:
    """Atoms; builtins with as many arguments as they take, grouped by what these are."""
    groups: dict[tuple[str, ...], set[str]] = {}
    for row in BUILTINS:
        if row.effect or row.name in NAMES_AS_CALLS:
            continue
        for shape in _shapes(row):
            groups.setdefault((*shape, "…") if row.variadic else shape, set()).add(row.name)
    calls: dict[str, Expr] = {}
    for shape, names in sorted(groups.items()):
        label = "_".join(_LABELS.get(kind, kind) for kind in shape) or "nothing"
        args: list[Expr] = [Ref(kind) for kind in shape if kind != "…"]
        more = (many(*_r("COMMA", "expr_in")),) if "…" in shape else ()
        calls[f"call_{label}"] = (words(names), *_arguments(args, more))
    return {
        "postfix": (Ref("atom"), many(Ref("trailer"))),
        "trailer": choice((".", Ref("WORD")), (*_r("LBRACKET", "expr_in", "RBRACKET"),)),
        "atom": choice(
            *_r("NAME", "DIRECTION", "BOARD", "INT", "FLOAT", "truth"),
            (*_r("LPAR", "expr_in", "RPAR_ONLY"),),
            (*_r("NAME", "LPAR"), maybe(*_listed(Ref("expr_in"))), Ref("RPAR")),
            *_r(*calls),
        ),
        **calls,
    }


_LABELS = {"expr_in": "e", "INT_OR_NAME": "k", "TAG": "tag", "NAME": "name", "…": "more"}


def _shapes(row: Builtin) -> list[tuple[str, ...]]:
    """The rules of a builtin's arguments, one tuple for each number of them that it takes."""
    special = {"Const": "constant_argument", "Tag": "TAG", "Row": "NAME", "Layout": "NAME"}
    found = []
    for signature in row.signatures:
        params = [p.strip() for p in signature.partition("->")[0].split(",") if p.strip()]
        found.append(tuple(special.get(p, "expr_in") for p in params))
    return list(dict.fromkeys(found))


def _arguments(args: list[Expr], more: tuple[Expr, ...] = ()) -> tuple[Expr, ...]:
    listed: list[Expr] = []
    for i, arg in enumerate(args):
        listed += [Ref("COMMA"), arg] if i else [arg]
    return (Ref("LPAR"), *listed, *more, Ref("RPAR"))


# --- lexemes --------------------------------------------------------------------------------------


def _quoted(names: tuple[str, ...]) -> Expr:
    return ('"', words(names), '"')


def _lexemes() -> dict[str, Expr]:
    digits = some(Chars("0-9"))
    whole = choice("0", (Chars("1-9"), many(Chars("0-9"))))
    power = ("e", maybe(words("+-")), digits)
    inside = Chars(" !#-\\[\\]-~")  # no quotes, no backslash
    quoted = ('"', choice(inside, "\n"))
    long = choice(inside, "\n", quoted, ('"', *quoted))
    python = (*keyword.kwlist,)
    return {
        "constant_argument": choice(*_r("INT", "NAME")),
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
