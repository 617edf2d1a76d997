"""Grammars as data, and how Lark and GBNF spell them.

An expression is built from literals, character classes, names of rules, sequences, choices and
repetitions. Rules in capitals are *lexemes*: they name no other rule, so that they are one regular
expression each; llguidance matches the longest one that may stand at a place. GBNF has no lexemes,
and needs none: every rule means the same character by character.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping

__all__ = [
    "Chars",
    "Except",
    "Expr",
    "Ref",
    "Repeat",
    "choice",
    "gbnf",
    "identifier",
    "lark",
    "many",
    "maybe",
    "regex",
    "some",
    "words",
]


@dataclasses.dataclass(frozen=True, slots=True)
class Chars:
    """One character out of ranges, written as in a regular expression: ``"a-z_"``."""

    ranges: str


@dataclasses.dataclass(frozen=True, slots=True)
class Ref:
    """Another rule, by name."""

    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    parts: tuple[Expr, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Repeat:
    """``?`` ``*`` or ``+``."""

    part: Expr
    sign: str


@dataclasses.dataclass(frozen=True, slots=True)
class Except:
    """A lexeme that matches ``part`` and is none of ``words``; llguidance's Lark alone has it."""

    part: Expr
    words: tuple[str, ...]


Expr = str | Chars | Ref | Choice | Repeat | Except | tuple["Expr", ...]
"""A literal text, one of the above, or a tuple: one after the other."""

Rules = Mapping[str, Expr]


def choice(*parts: Expr) -> Expr:
    return Choice(parts)


def words(names: Iterable[str]) -> Expr:
    """One of these literal texts; longer ones first, for engines that take the first that fits."""
    longest_first: list[str] = sorted(sorted(names), key=len, reverse=True)
    return Choice(tuple(longest_first))


def maybe(*parts: Expr) -> Expr:
    return _repeat(parts, "?")


def many(*parts: Expr) -> Expr:
    return _repeat(parts, "*")


def some(*parts: Expr) -> Expr:
    return _repeat(parts, "+")


def _repeat(parts: tuple[Expr, ...], sign: str) -> Expr:
    return Repeat(parts[0] if len(parts) == 1 else parts, sign)


def identifier(reserved: Iterable[str]) -> Expr:
    """Names that are none of ``reserved``.

    Regular expressions without look-ahead cannot say "but not": the tree of the reserved words is
    walked along instead, and left at the first letter by which a name differs.
    """
    tree: dict[str, dict] = {}
    for word in reserved:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _outside(tree, first=True)


_LETTERS, _LATER = "A-Z_a-z", "0-9A-Z_a-z"


def _outside(tree: dict[str, dict], *, first: bool = False) -> Expr:
    """What may follow a prefix of a reserved word, so that the whole is a name but no such word."""
    taken = "".join(sorted(c for c in tree if c))
    others = _without(_LETTERS if first else _LATER, taken)
    parts: list[Expr] = [(Chars(others), Repeat(Chars(_LATER), "*"))]
    parts += [(char, _outside(tree[char])) for char in taken]
    rest = Choice(tuple(parts)) if len(parts) > 1 else parts[0]
    # a word may end here unless this is the end of a reserved one
    return rest if first or "" in tree else Repeat(rest, "?")


def _without(ranges: str, taken: str) -> str:
    """The characters of a class without some, again as ranges."""
    kept = [c for c in map(chr, range(128)) if re.fullmatch(f"[{ranges}]", c) and c not in taken]
    found = ""
    while kept:
        size = 1
        while size < len(kept) and ord(kept[size]) == ord(kept[0]) + size:
            size += 1
        run, kept = kept[:size], kept[size:]
        found += "".join(run) if size < 3 else f"{run[0]}-{run[-1]}"
    return found


# --- Lark -----------------------------------------------------------------------------------------


def lark(rules: Rules) -> str:
    """The rules as a Lark grammar; ``start`` is where it starts."""
    lines = []
    for name, expr in rules.items():
        if isinstance(expr, Except):
            body = f"/{regex(expr.part)}/ & ~/{regex(words(expr.words))}/"
        else:
            body = f"/{regex(expr)}/" if name.isupper() else _lark(expr, top=True)
        lines.append(f"{name}: {body}")
    return "\n".join(lines) + "\n"


def _lark(expr: Expr, *, top: bool = False) -> str:
    match expr:
        case str():
            text = expr.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{text}"'
        case Ref(name=name):
            return name
        case Choice(parts=parts):
            body = " | ".join(_lark(p) for p in parts)
            return body if top else f"({body})"
        case Repeat(part=part, sign=sign):
            inner = _lark(part)
            return f"({inner}){sign}" if isinstance(part, tuple) else f"{inner}{sign}"
        case tuple():
            return " ".join(_lark(p) for p in expr)
        case Chars():
            return f"/{regex(expr)}/"
        case Except():
            raise ValueError("an exception stands in a lexeme of its own")


def regex(expr: Expr) -> str:
    """A lexeme as a regular expression, for Python's ``re`` and Rust's alike."""
    match expr:
        case str():
            return "".join(_plain(c) for c in expr)
        case Chars(ranges=ranges):
            return f"[{ranges.replace('/', chr(92) + 'x2f')}]"
        case Choice(parts=parts):
            return "(?:" + "|".join(regex(p) for p in parts) + ")"
        case Repeat(part=part, sign=sign):
            inner = regex(part)
            whole = isinstance(part, Chars | Choice) or re.fullmatch(r"\\?.", inner)
            return f"{inner}{sign}" if whole else f"(?:{inner}){sign}"
        case tuple():
            return "".join(regex(p) for p in expr)
        case Except():
            raise ValueError("an exception stands in a lexeme of its own")
        case Ref(name=name):
            raise ValueError(f"a lexeme cannot name another rule: {name}")


def _plain(char: str) -> str:
    if char == "\n":
        return "\\n"
    if char == "/":
        return "\\x2f"
    return char if char.isalnum() or char in " _,:=\"'<>!%&@#~`" else f"\\{char}"


# --- GBNF -----------------------------------------------------------------------------------------


def gbnf(rules: Rules) -> str:
    """The rules as GBNF (llama.cpp and others); ``root`` is where it starts.

    Raises:
      ValueError: two names differ in case alone, which GBNF does not tell apart.
    """
    lines: list[str] = []
    if len({_gbnf_name(name) for name in rules}) < len(rules):
        raise ValueError("two rules have one name in GBNF")
    for name, expr in rules.items():
        lines.append(f"{_gbnf_name(name)} ::= {_gbnf(expr, top=True)}")
    return "\n".join(lines) + "\n"


def _gbnf_name(name: str) -> str:
    return "root" if name == "start" else name.lower().replace("_", "-")


def _gbnf(expr: Expr, *, top: bool = False) -> str:
    match expr:
        case str():
            text = expr.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{text}"'
        case Chars(ranges=ranges):
            return f"[{ranges}]"
        case Ref(name=name):
            return _gbnf_name(name)
        case Choice(parts=parts):
            body = " | ".join(_gbnf(p) for p in parts)
            return body if top else f"({body})"
        case Except():
            raise ValueError("GBNF has no exceptions")
        case Repeat(part=part, sign=sign):
            inner = _gbnf(part)
            return f"({inner}){sign}" if isinstance(part, tuple) else f"{inner}{sign}"
        case tuple():
            return " ".join(_gbnf(p) for p in expr)
