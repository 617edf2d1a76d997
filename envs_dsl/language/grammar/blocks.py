"""Functions, and statements in blocks by kind and depth."""

from __future__ import annotations

from envs_dsl.language.builtins import BUILTINS
from envs_dsl.language.ebnf import Expr, Ref, choice, many, maybe, some
from envs_dsl.language.grammar.parts import arguments, listed, refs, shapes
from envs_dsl.language.parse import MAX_BLOCKS

__all__ = ["functions", "statements"]


def functions() -> dict[str, Expr]:
    """The heads of functions, and their blocks at every depth."""
    found: dict[str, Expr] = {
        # "def" is a lexeme of its own, as it begins helpers too
        "reset": (Ref("DEF"), "reset", "(s)", *refs("COLON", "rule_block_1")),
        "step": (
            (Ref("DEF"), "step", "(s, ", choice("act", "acts"), ")"),
            refs("COLON", "rule_block_1"),
        ),
        "view": (Ref("DEF"), "view", "(s)", *refs("COLON", "rule_block_1")),
        "helper": (
            (*refs("DEF", "NAME", "LPAR"), maybe(*listed(Ref("NAME")))),
            *refs("RPAR", "COLON", "helper_block_1"),
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
            (*refs("FOR", "NAME", "IN", "iterable", "COLON"), loop),
            (
                (*refs("IF", "expr", "COLON"), inner),
                many(newline, *refs("ELIF", "expr", "COLON"), inner),
                maybe(newline, *refs("ELSE", "COLON"), inner),
            ),
        ),
    }


def statements() -> dict[str, Expr]:
    """What stands in a line of a block: stores, effects, jumps; and what loops go over."""
    seat_or_color = choice(*refs("expr_in", "COLOR"))
    effects: list[Expr] = []
    for row in (r for r in BUILTINS if r.effect):
        if row.name == "spawn":
            continue
        for shape in shapes(row):
            args: list[Expr] = [Ref(kind) for kind in shape]
            if row.group == "view":
                args.append(seat_or_color)
            effects.append((row.name, *arguments(args)))
    loop = (*refs("BREAK", "CONTINUE"),)
    store: Expr = (Ref("target"), choice((Ref("ASSIGN"), Ref("value")), (*refs("CHANGE", "expr"),)))
    local: Expr = (Ref("NAME"), choice(*((*refs(s, "expr"),) for s in ("ASSIGN", "CHANGE"))))
    spawn = (
        ("spawn", *refs("LPAR", "expr_in")),
        (many(*refs("COMMA", "WORD", "EQUALS", "expr_in")), Ref("RPAR")),
    )
    return {
        "rule_statement": choice(store, *refs("effect", "PASS", "RETURN", "NOTE")),
        "rule_loop_statement": choice(Ref("rule_statement"), *loop),
        "helper_statement": choice(local, *refs("PASS", "NOTE"), (*refs("GIVE_BACK", "expr"),)),
        "helper_loop_statement": choice(Ref("helper_statement"), *loop),
        "target": (Ref("NAME"), many(Ref("trailer"))),
        "value": choice(*refs("expr", "spawn")),
        "effect": choice(*effects, Ref("spawn")),
        "spawn": spawn,
        "iterable": choice(
            ("range", *refs("LPAR", "bound"), many(*refs("COMMA", "bound")), Ref("RPAR")),
            ("dirs4", *refs("LPAR", "RPAR")),
            ("dirs8", *refs("LPAR", "RPAR")),
            ("players", *refs("LPAR", "RPAR")),
            (Ref("NAME"), maybe(".", Ref("WORD"))),
        ),
        "bound": choice((maybe("-"), Ref("INT")), Ref("NAME")),
    }
