"""Sets of grammar rules by name: brackets in one another, what derives a text, what is needed."""

from __future__ import annotations

from envs_dsl.language.ebnf import Chars, Choice, Expr, Ref, Repeat, choice

__all__ = ["inner", "nested", "productive", "reachable"]


def inner(key: str) -> Expr:
    """A rule within brackets; ``nested`` says which."""
    return Ref(f"inner {key}")


def nested(rules: dict[str, Expr], brackets: int | None) -> dict[str, Expr]:
    """The rules with those that stand within brackets told apart.

    Args:
      rules: with ``inner`` where a bracket is open.
      brackets: in one another at most; there are rules of their own in each, so that brackets end.
        None: any number.
    """
    if brackets is None:
        return {name: _moved(expr, "", "") for name, expr in rules.items()}
    levels = [f"in{i}_" if i else "" for i in range(brackets + 1)]
    found: dict[str, Expr] = {}
    for here, below in zip(levels, [*levels[1:], "none_"]):
        found |= {
            _moved_name(name, here): _moved(expr, here, below) for name, expr in rules.items()
        }
    return found


def productive(rules: dict[str, Expr]) -> dict[str, Expr]:
    """The rules that derive some text, without alternatives that do not."""
    known: set[str] = set()
    waiting = dict(rules)
    while True:
        more = [name for name, expr in waiting.items() if _derives(expr, known)]
        if not more:
            break
        known.update(more)
        for name in more:
            del waiting[name]
    return {name: _pruned(expr, known) for name, expr in rules.items() if name in known}


def _derives(expr: Expr, known: set[str]) -> bool:
    match expr:
        case str():
            return True
        case Ref(name=name):
            return name in known
        case tuple():
            return all(_derives(p, known) for p in expr)
        case Choice(parts=parts):
            return any(_derives(p, known) for p in parts)
        case Repeat(part=part, sign=sign):
            return sign in "?*" or _derives(part, known)
    return True


def _pruned(expr: Expr, known: set[str]) -> Expr:
    match expr:
        case Choice(parts=parts):
            return choice(*(_pruned(p, known) for p in parts if _derives(p, known)))
        case Repeat(part=part, sign=sign):
            return Repeat(_pruned(part, known), sign) if _derives(part, known) else ()
        case tuple():
            return tuple(_pruned(p, known) for p in expr)
    return expr


def reachable(rules: dict[str, Expr]) -> dict[str, Expr]:
    """The rules that ``start`` needs, in their order."""
    needed, stack = set(), ["start"]
    while stack:
        name = stack.pop()
        if name not in needed:
            needed.add(name)
            stack += refs_of(rules[name])
    return {name: expr for name, expr in rules.items() if name in needed}


def refs_of(expr: Expr) -> list[str]:
    """Names of the rules in an expression."""
    match expr:
        case Ref(name=name):
            return [name]
        case tuple():
            return [n for part in expr for n in refs_of(part)]
    inner = [getattr(expr, "part", ()), *getattr(expr, "parts", ())]
    return [n for part in inner if part != () for n in refs_of(part)]


def _moved_name(name: str, here: str) -> str:
    return name if name.isupper() else f"{here}{name}"


def _moved(expr: Expr, here: str, below: str) -> Expr:
    """An expression of one level: its rules are those of this level, in brackets of the next."""
    match expr:
        case str() | Chars():
            return expr
        case Ref(name=name):
            inner = name.startswith("inner ")
            return Ref(_moved_name(name.removeprefix("inner "), below if inner else here))
        case tuple():
            return tuple(_moved(p, here, below) for p in expr)
        case Choice(parts=parts):
            return Choice(tuple(_moved(p, here, below) for p in parts))
        case Repeat(part=part, sign=sign):
            return Repeat(_moved(part, here, below), sign)
    return expr
