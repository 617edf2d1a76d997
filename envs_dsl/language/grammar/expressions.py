"""Expressions by precedence, atoms, and calls of builtins."""

from __future__ import annotations

from envs_dsl.language.builtins import BUILTINS
from envs_dsl.language.ebnf import Chars, Expr, Ref, choice, many, maybe, some, words
from envs_dsl.language.grammar.parts import BLANK, arguments, listed, refs, shapes
from envs_dsl.language.names import NAMES_AS_CALLS

__all__ = ["calls", "expressions"]

_LABELS = {"expr_in": "e", "TAG": "tag", "NAME": "name", "…": "more"}


def expressions(where: str, space: Expr) -> dict[str, Expr]:
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


def calls() -> dict[str, Expr]:
    """Atoms; builtins with as many arguments as they take, grouped by what these are."""
    groups: dict[tuple[str, ...], set[str]] = {}
    for row in BUILTINS:
        if row.effect or row.name in NAMES_AS_CALLS:
            continue
        for shape in shapes(row):
            groups.setdefault((*shape, "…") if row.variadic else shape, set()).add(row.name)
    found: dict[str, Expr] = {}
    for shape, names in sorted(groups.items()):
        label = "_".join(_LABELS.get(kind, kind) for kind in shape) or "nothing"
        args: list[Expr] = [Ref(kind) for kind in shape if kind != "…"]
        more = (many(*refs("COMMA", "expr_in")),) if "…" in shape else ()
        found[f"call_{label}"] = (words(names), *arguments(args, more))
    return {
        "postfix": (Ref("atom"), many(Ref("trailer"))),
        "trailer": choice((".", Ref("WORD")), (*refs("LBRACKET", "expr_in", "RBRACKET"),)),
        "atom": choice(
            *refs("NAME", "DIRECTION", "BOARD", "INT", "FLOAT", "truth"),
            (*refs("LPAR", "expr_in", "RPAR_ONLY"),),
            (*refs("NAME", "LPAR"), maybe(*listed(Ref("expr_in"))), Ref("RPAR")),
            *refs(*found),
        ),
        **found,
    }
