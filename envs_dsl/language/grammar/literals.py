"""Numbers, places, vectors and members, as a line may write them."""

from __future__ import annotations

from envs_dsl.language.ebnf import Chars, Expr, Ref, choice, many, maybe, some, words
from envs_dsl.language.grammar.sofar import SoFar

__all__ = ["constant", "number_rules", "values"]


def number_rules() -> dict[str, Expr]:
    """Rules of what is written out: ``WHOLE``, ``REAL``, ``number``, ``truth_``."""
    digits = some(Chars("0-9"))
    power = ("e", maybe(words("+-")), digits)
    return {
        "WHOLE": choice("0", (Chars("1-9"), many(Chars("0-9")))),
        "REAL": choice((digits, ".", many(Chars("0-9")), maybe(*power)), (digits, *power)),
        "number": (maybe("-"), choice(Ref("WHOLE"), Ref("REAL"))),
        "truth_": choice("True", "False"),
    }


def values(known: SoFar) -> list[Expr]:
    """Places, vectors and members, with the constants that are declared."""
    numbers = constant(known, whole=False)
    whole = constant(known, whole=True)
    found: list[Expr] = [
        ("Pos(", whole, ", ", whole, ")"),
        ("Vec2(", numbers, ", ", numbers, ")"),
    ]
    members = [f"{name}.{m}" for name, e in known.declared.enums.items() for m in e.members]
    return [*found, *([words(members)] if members else [])]


def constant(known: SoFar, *, whole: bool) -> Expr:
    """A number, or a constant of that kind, with a sign."""
    kinds = (int,) if whole else (int, float)
    names = [n for n, v in known.declared.constants.items() if type(v) in kinds]
    literal = (Ref("WHOLE"),) if whole else (Ref("WHOLE"), Ref("REAL"))
    return (maybe("-"), choice(*literal, *([words(names)] if names else [])))
