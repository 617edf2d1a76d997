"""The grammar of the next line, from what is declared in the lines before it.

``next_line`` is for whoever writes a program line by line under a grammar, such as a language model
whose tokens are masked: the grammar of the whole language (``grammar``) cannot say which names
there are. A line is a *logical* one: a line that breaks inside of brackets counts once. It is
written in canonical style, begins with its indentation and ends with its line feed; blank lines may
come before it where canonical text has some.

What a grammar cannot say is left to ``SoFar.faults``: read the text again with the line that was
written, and write another where faults are new.
"""

from __future__ import annotations

from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.ebnf import Expr, Ref, choice, maybe, words
from envs_dsl.language.ebnf import lark as as_lark
from envs_dsl.language.grammar.body_lines import Body, body_lines
from envs_dsl.language.grammar.class_lines import class_lines
from envs_dsl.language.grammar.limits import WIDE, Limits
from envs_dsl.language.grammar.module_lines import module_lines
from envs_dsl.language.grammar.names import new_name
from envs_dsl.language.grammar.rule_sets import productive, reachable
from envs_dsl.language.grammar.sofar import SoFar, read_so_far

__all__ = ["as_text", "condition", "entity_row", "entity_table", "literally", "next_line"]


def next_line(text: str | SoFar, limits: Limits = WIDE, depths: tuple[int, ...] = ()) -> str:
    """A Lark grammar of one line that may follow, "" where none can.

    Args:
      text: the finished lines, or what ``read_so_far`` says of them.
      limits: how much of the language is offered.
      depths: blocks around the line; () for all that are possible.

    Raises:
      ValueError: the text is not the beginning of a program.
    """
    known = read_so_far(text) if isinstance(text, str) else text
    lines: list[Expr] = []
    rules: dict[str, Expr] = {}
    if known.section == "function" and (not depths or any(depths)):
        inner, rules = body_lines(known, limits, depths)
        lines += inner
    if not depths or 1 in depths:
        inner, more = class_lines(known, limits)
        lines += inner
        rules |= more
    if not depths or 0 in depths:
        inner, more = module_lines(known, limits)
        lines += inner
        rules |= more
    return as_text(lines, rules)


def condition(text: str | SoFar, depth: int, limits: Limits = WIDE, *, besides: str = "") -> str:
    """A Lark grammar of what follows ``if`` in a line at a depth: a condition, a colon, a line end.

    ``besides`` is a condition that stays: what is written is joined to it by ``and`` or ``or``.

    Raises:
      ValueError: the text is not the beginning of a program, or no ``if`` can stand there.
    """
    known = read_so_far(text) if isinstance(text, str) else text
    for spot in known.spots:
        if spot.depth == depth:
            body = Body(known, spot, spot.scope, limits)
            line: Expr = (Ref("either"), ":\n")
            if besides:
                more = (choice(" and ", " or "), Ref("comparison"))
                line = (f"({' '.join(besides.split())})", *more, ":\n")
            return as_text([line], body.rules)
    raise ValueError(f"no line can stand in {depth} blocks there")


def literally(text: str) -> str:
    """A Lark grammar of one text."""
    return as_lark({"start": text})


def entity_row(known: SoFar) -> str:
    """A Lark grammar of a new row class with a place and perhaps one column more."""
    taken = {*RESERVED, *known.declared.lines}
    new = {"NEW": new_name(taken, "class", True)}
    more = maybe("    ", words(_COLUMNS))
    return as_lark({"start": ("class ", Ref("NEW"), "(Row):\n    pos: Pos\n", more), **new})


_COLUMNS = ("going: Dir\n", "awake: Bool\n", "wait: Int(0, 9)\n", "hits: Int(0, 3)\n")


def entity_table(known: SoFar, row: str) -> str:
    """A Lark grammar of a field of State that holds rows of a class."""
    taken = {*RESERVED, *known.declared.fields, "t", "turn", "alive", "move"}
    field = ("\nclass State:\n    ", Ref("NEW"), f": Table({row}, ", words("123456"), ")\n")
    return as_lark({"start": field, "NEW": new_name(taken, "local", True)})


def as_text(lines: list[Expr], rules: dict[str, Expr]) -> str:
    """A Lark grammar of any of these, "" where nothing derives a text."""
    found = productive({"start": choice(*lines), **rules}) if lines else {}
    return as_lark(reachable(found)) if "start" in found else ""
