"""How inputs are made: by bytes, by tokens, by syntax trees, by the grammar and by typed mutation.

Every maker takes the pool of programs and a ``Random``, and gives a text. Makers of bytes and
tokens mostly break a program; those of trees keep its form; typed mutants are accepted.
"""

from __future__ import annotations

import ast
import copy
import functools
import re
from collections.abc import Callable, Sequence
from random import Random

from envs_dsl.language.check import analyse
from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.ebnf import Chars, Choice, Expr, Ref, Repeat
from envs_dsl.language.grammar import rules
from envs_dsl.language.types import Type
from envs_dsl.language.vocabulary import COLORS, DIRS, SKILLS, TAGS, VERBS
from envs_dsl.mutate import mutate
from envs_dsl.program import check

__all__ = ["MAKERS", "Maker", "MakerFault"]


class MakerFault(Exception):
    """The product's mutation failed: a message, and the program that it failed on."""


Maker = Callable[[Sequence[str], Random], str]

NUMBERS = (
    "0", "1", "-1", "2", "3", "16", "17", "63", "64", "65", "255", "256", "257", "2147483647",
    "2147483648", "-2147483648", "0.0", "0.5", "-0.0", "1e-40", "1e38", "3e38", "1e999", "1e-999",
    "0x7fffffff", "9" * 30, "1j", "True", "False", "None",
)  # fmt: skip
SIGNS = (
    "+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "=", "+=", "-=", "*=",
    "/=", ":=", "->", "&", "|", "^", "~", "<<", ">>", "@", "(", ")", "[", "]", "{", "}", ",", ":",
    ".", ";", "#", "\\", '"""', '"', "'", "`",
)  # fmt: skip
WORDS = (*RESERVED, *VERBS, *TAGS, *COLORS, *SKILLS, *DIRS,
         "if", "else", "elif", "for", "in", "while", "def", "class", "return", "break", "continue",
         "pass", "and", "or", "not", "is", "lambda", "import", "async", "await", "yield", "match",
         "case", "try", "with", "global", "del", "__class__", "__init__", "x", "y", "pos", "row",
         "col", "size", "max_steps", "outside", "harder", "self", "print", "type", "alive", "move",
         )  # fmt: skip
SPACES = ("\n", "\n    ", "\n        ", " ", "\t", "\r", "\f", "\0", "\n\n", "")
BYTES = bytes(range(32)) + b"\x7f\x80\xc0\xff()[]{}\"'\\#:;=,.\n \t"
_TOKEN = re.compile(r'"""|\w+|\n *|[^\w\s]=?|\s')


def by_bytes(pool: Sequence[str], rng: Random) -> str:
    """A few bytes of a program changed, put in, taken out, repeated, or cut off."""
    data = bytearray(rng.choice(pool).encode("utf-8", "replace"))
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 8, 64))
        match rng.randrange(7):
            case 0:
                data[at : at + size] = bytes(rng.choice(BYTES) for _ in range(size))
            case 1:
                data[at:at] = bytes(rng.randrange(256) for _ in range(size))
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = data[at : at + size] * rng.choice((1, 2, 50))
            case 4:
                other = rng.choice(pool).encode("utf-8", "replace")
                start = rng.randrange(len(other) + 1)
                data[at : at + size] = other[start : start + size * 4]
            case 5 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case _:
                del data[at + size * 20 :]
    return bytes(data).decode("utf-8", "replace")


def by_tokens(pool: Sequence[str], rng: Random) -> str:
    """A few tokens of a program exchanged, repeated, taken out, or replaced by other words."""
    tokens = _TOKEN.findall(rng.choice(pool))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if not tokens:
            break
        at = rng.randrange(len(tokens))
        match rng.randrange(8):
            case 0:
                del tokens[at : at + rng.choice((1, 1, 3))]
            case 1:
                tokens[at:at] = [tokens[at]] * rng.choice((1, 1, 2, 30))
            case 2:
                other = rng.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = rng.choice(NUMBERS)
            case 4:
                tokens[at] = rng.choice(SIGNS)
            case 5:
                tokens[at] = rng.choice(tokens)
            case 6:
                tokens[at:at] = [rng.choice(SPACES)]
            case _:
                tokens[at] = rng.choice(WORDS)
    return "".join(tokens)


def by_trees(pool: Sequence[str], rng: Random) -> str:
    """Syntax trees cut from one place and put into another, whatever they mean there."""
    module = _parsed(rng.choice(pool))
    if module is None:
        return by_tokens(pool, rng)
    donor = module if rng.random() < 0.6 else (_parsed(rng.choice(pool)) or module)
    for _ in range(rng.choice((1, 1, 2, 3))):
        kind = rng.choice((ast.expr, ast.expr, ast.stmt))
        spots = _spots(module, kind)
        pieces = [piece for _, _, _, piece in _spots(donor, kind)]
        if not spots or not pieces:
            continue
        parent, field, index, old = rng.choice(spots)
        new = copy.deepcopy(rng.choice(pieces))  # a tree must not hold itself
        match rng.randrange(5):
            case 0 if index is not None and kind is ast.stmt:
                getattr(parent, field).insert(index, new)
            case 1 if kind is ast.stmt and index is not None:
                del getattr(parent, field)[index]
                if field == "body" and not getattr(parent, field):
                    getattr(parent, field).append(ast.Pass())
            case 2 if kind is ast.expr:
                wrapped = ast.BinOp(old, rng.choice((ast.Add, ast.Mult, ast.Mod))(), new)
                _put(parent, field, index, wrapped)
            case _:
                _put(parent, field, index, new)
    return _text(module) or by_tokens(pool, rng)


def by_types(pool: Sequence[str], rng: Random) -> str:
    """Expressions replaced by others of the same type: mostly accepted, seldom sensible."""
    found = analyse(rng.choice(pool))
    if found.module is None or not found.types:
        return by_trees(pool, rng)
    by_type: dict[Type, list[ast.expr]] = {}
    spots = []
    for spot in _spots(found.module, ast.expr):
        type_ = found.types.get(id(spot[3]))
        if type_ is not None and not isinstance(getattr(spot[3], "ctx", None), ast.Store):
            spots.append((*spot, type_))
            by_type.setdefault(type_, []).append(spot[3])
    for _ in range(rng.choice((1, 2, 3, 5))):
        if not spots:
            break
        parent, field, index, old, type_ = rng.choice(spots)
        _put(parent, field, index, copy.deepcopy(_made(type_, old, by_type, rng)))
    return _text(found.module) or by_tokens(pool, rng)


def by_mutation(pool: Sequence[str], rng: Random) -> str:
    """What the product's own typed mutation makes of a program."""
    program = check(rng.choice(pool)).program
    if program is None:
        return by_types(pool, rng)
    try:
        found = mutate(program, rng.randrange(1 << 30))
    except Exception as error:
        raise MakerFault(f"mutate: {type(error).__name__}: {error}", program.source) from error
    return program.source if found is None else found.source


def by_grammar(pool: Sequence[str], rng: Random) -> str:
    """A text that the grammar generates: the form of a program, and no sense in it."""
    budget = [rng.choice((200, 600, 1500))]
    return _generated(Ref("start"), rng, budget)


MAKERS: dict[str, tuple[Maker, float]] = {
    "bytes": (by_bytes, 5.0),
    "tokens": (by_tokens, 5.0),
    "trees": (by_trees, 3.0),
    "types": (by_types, 4.0),
    "mutation": (by_mutation, 0.3),
    "grammar": (by_grammar, 1.0),
}
"""Kind → maker, and how often it is drawn."""


# --- trees ----------------------------------------------------------------------------------------


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _text(module: ast.Module) -> str | None:
    try:
        return ast.unparse(ast.fix_missing_locations(module)) + "\n"
    except Exception:  # a tree that is no Python at all
        return None


Spot = tuple[ast.AST, str, int | None, ast.AST]


def _spots(module: ast.Module, kind: type[ast.AST]) -> list[Spot]:
    found: list[Spot] = []
    for parent in ast.walk(module):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, kind):
                found.append((parent, field, None, value))
            elif isinstance(value, list):
                found += [(parent, field, i, v) for i, v in enumerate(value) if isinstance(v, kind)]
    return found


def _put(parent: ast.AST, field: str, index: int | None, new: ast.AST) -> None:
    if index is None:
        setattr(parent, field, new)
    elif index < len(getattr(parent, field)):
        getattr(parent, field)[index] = new


def _made(type_: Type, old: ast.expr, by_type: dict[Type, list[ast.expr]], rng: Random) -> ast.expr:
    """Another expression of that type: one of the program, a number, or a builtin around two."""
    same = by_type[type_]
    kind = getattr(type_, "kind", "")
    if kind in ("Int", "Float") and rng.random() < 0.5:
        edge = rng.choice((0, 1, -1, 2, 7, 100, 2**31 - 1, -(2**31)))
        number = ast.Constant(edge if kind == "Int" else float(rng.choice((edge, 1e-40, 2e38))))
        a, b = rng.choice(same), rng.choice(same)
        op = rng.choice((ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod))()
        return rng.choice((number, ast.BinOp(a, op, b), _call(rng.choice(("min", "max")), a, b)))
    if kind == "Bool" and rng.random() < 0.5:
        a, b = rng.choice(same), rng.choice(same)
        return rng.choice((ast.UnaryOp(ast.Not(), a), ast.BoolOp(ast.Or(), [a, b])))
    if rng.random() < 0.3:
        return _call("pick", rng.choice(same), rng.choice(same))
    return rng.choice(same)


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


# --- the grammar ----------------------------------------------------------------------------------

_NAMES = {"NAME": ("a", "b", "s", "act", "x1", "Tile", "Bat", "h"), "WORD": ("pos", "x", "A", "it")}
_LEXEMES = {
    "DOCSTRING": '"""Reach the exit in time."""',
    "NOTE": '"""A note."""',
    "PICTURE": '"""\n...\n...\n"""',
    "COMMA": ", ",
    "RPAR": ")",
    "RPAR_ONLY": ")",
    "INT": "3",
    "FLOAT": "0.5",
}


@functools.cache
def _rules() -> dict[str, Expr]:
    return rules()


@functools.cache
def _heights() -> dict[str, int]:
    """How many rules the shortest derivation of each rule has in one another."""
    found = dict.fromkeys(_rules(), 1000)
    while True:
        better = {name: 1 + _height(expr, found) for name, expr in _rules().items()}
        if better == found:
            return found
        found = better


def _height(expr: Expr, of: dict[str, int]) -> int:
    match expr:
        case Ref(name=name):
            return 0 if name in _NAMES or name in _LEXEMES else of[name]
        case Choice(parts=parts):
            return min(_height(p, of) for p in parts)
        case Repeat(part=part, sign=sign):
            return _height(part, of) if sign == "+" else 0
        case tuple():
            return max((_height(p, of) for p in expr), default=0)
    return 0


def _generated(expr: Expr, rng: Random, budget: list[int], depth: int = 0) -> str:
    """One derivation; deep down, or when the budget is used up, by the shortest way out."""
    budget[0] -= 1
    short = budget[0] < 0 or depth > 60
    match expr:
        case str():
            return expr
        case Chars():
            return "" if expr.ranges.startswith(" ") else rng.choice("az_09")
        case Ref(name=name):
            return _of_rule(name, rng, budget, depth)
        case Choice(parts=parts):
            shortest = min(parts, key=lambda p: _height(p, _heights()))
            return _generated(shortest if short else rng.choice(parts), rng, budget, depth)
        case Repeat(part=part, sign=sign):
            least = 1 if sign == "+" else 0
            most = 1 if sign == "?" else rng.choice((0, 1, 1, 2, 3))
            times = least if short else rng.randint(least, max(most, least))
            found = ""
            for _ in range(times):
                found += _generated(part, rng, budget, depth)
            return found
        case tuple():
            found = ""
            for part in expr:
                found += _generated(part, rng, budget, depth)
            return found
    raise TypeError(expr)


def _of_rule(name: str, rng: Random, budget: list[int], depth: int) -> str:
    if name in _NAMES:
        return rng.choice(_NAMES[name])
    if name in _LEXEMES:
        return _LEXEMES[name]
    if name.startswith("NEWLINE_"):
        return "\n" + "    " * int(name.removeprefix("NEWLINE_"))
    return _generated(_rules()[name], rng, budget, depth + 1)
