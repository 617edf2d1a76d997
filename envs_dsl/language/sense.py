"""E6xx: programs that are well typed and still make no sense as a game."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable

from envs_dsl.language import tree as T
from envs_dsl.language.declarations import Declarations
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.types import BOOL, FLOAT, INT, Field, Grid, TableRef
from envs_dsl.language.vocabulary import ACTIONS

__all__ = ["check_sense", "is_contest", "unused", "uses_of_fields"]


def is_contest(step: T.Block) -> bool:
    """A game is a contest iff some ``win(seat)`` occurs."""
    return any(
        isinstance(n, T.Effect) and n.op == "win" and n.seat is not None for n in T.walk(step)
    )


def check_sense(
    declared: Declarations,
    reset: T.Block,
    step: T.Block,
    view: T.Block,
    used: set[str],
    used_verbs: set[int],
    outcomes: list[tuple[str, bool, tuple[int, int]]],
    out: Diagnostics,
) -> None:
    """Report what can be decided from structure alone."""
    places = declared.functions
    step_node = places["step"]
    if not any(isinstance(n, T.Effect) and n.op == "win" for n in T.walk(step)):
        out.add(
            "E601",
            step_node,
            "no win() can be reached",
            "call win() in step when the player has done it",
        )
    _outcomes(declared, sorted(outcomes, key=lambda o: o[2]), out)
    if declared.game is not None:
        for verb in declared.game.verbs:
            if ACTIONS.index(verb) not in used_verbs:
                out.add(
                    "E602",
                    declared.verb_places.get(verb, (1, 1)),
                    f"the action {verb} is declared and never read",
                    f"read act.{verb}, or remove it from verbs",
                )
    _fields(declared, reset, step, view, out)
    for name, line in declared.lines.items():
        kind = "parameter" if name in declared.params else "layout"
        if (name in declared.params or name in declared.layouts) and name not in used:
            what = f"the {kind} {name} is never read"
            out.add("E604", (line, 1), what, "use it in reset or step, or remove it")


def _is_shown(field: Field) -> bool:
    """A grid that the player sees may be there for that alone, such as the clues of a puzzle."""
    return isinstance(field.type, Grid) and not field.hidden


def _outcomes(
    declared: Declarations, outcomes: list[tuple[str, bool, tuple[int, int]]], out: Diagnostics
) -> None:
    """Contest or co-operation, as the first ``win`` says, and never both."""
    seated = [seat for name, seat, _ in outcomes if name == "win"]
    if not any(seated):
        return
    if declared.game is not None and declared.game.players < 2:
        place = next(at for name, seat, at in outcomes if name == "win" and seat)
        out.add("E606", place, "win(seat) needs two players or more", "write win()")
        return
    for name, seat, place in outcomes:
        if name == "win" and seat != seated[0]:
            what = "win(seat)" if seat else "win() without a seat"
            hint = "use win(seat) everywhere in a contest, win() everywhere in co-operation"
            earlier = "names one" if seated[0] else "names none"
            out.add("E606", place, f"{what}, and an earlier win {earlier}", hint)
            return
    for name, seat, place in outcomes:
        if name == "reward" and not seat:
            out.add("E607", place, "in a contest reward(x) needs a seat", "write reward(x, i)")
        elif name == "lose":
            hint = "name the winner: win(opponent(i)), or draw()"
            out.add("E607", place, "in a contest lose() has no meaning", hint)


def unused(text: str, declared: Declarations, out: Diagnostics) -> None:
    """W703: enums, rows and helpers that are named once, where they are declared.

    (The body of such a helper is unchecked. A word of a comment counts as a use: only a lint.)
    """
    times = collections.Counter(re.findall(r"[A-Za-z_]\w*", text))
    named = {word for word, count in times.items() if count > 1}
    named |= {layout.enum for layout in declared.layouts.values()}
    kinds = {
        **dict.fromkeys(declared.enums, "enum"),
        **dict.fromkeys(declared.rows, "row"),
        **dict.fromkeys(declared.functions, "helper"),
    }
    for name in set(kinds) - named - {"reset", "step", "view"}:
        place = (declared.lines[name], 1)
        out.add("W703", place, f"the {kinds[name]} {name} is never used", "use it, or remove it")


def uses_of_fields(
    declared: Declarations, statements: Iterable[T.Stmt]
) -> tuple[set[str], set[str]]:
    """Fields that some of the statements write, and those that they read."""
    written: set[str] = set()
    read: set[str] = set()
    board = T.board_of(declared.fields.values())
    for node in T.walk(statements):
        match node:
            case T.Assign(target=T.Place(field=field)):
                written.add(field)
            case T.Spawn(table=table, ok=ok):
                written.add(table)
                if isinstance(ok, T.Place):
                    written.add(ok.field)
            case T.Swap(field=field):
                written.add(field)
                read.add(field)
            case T.FieldRef(field=field) | T.TableName(field=field):
                read.add(field)
            case T.Call(op="try_move") if board is not None:
                read.add(board.name)  # without being named
            case T.Column(table=table) | T.For(table=table) if table:
                read.add(table)
    return written, read


def _fields(
    declared: Declarations, reset: T.Block, step: T.Block, view: T.Block, out: Diagnostics
) -> None:
    written, read = uses_of_fields(declared, (*reset, *step, *view))
    for name, declared_field in declared.fields.items():
        place = (declared_field.line, 5)
        if name not in written:
            what = f"nothing is ever written to s.{name}"
            hint = "set it in reset or step, or remove it"
            if isinstance(declared_field.type, TableRef):
                what = f"no row of s.{name} is ever spawned"
                hint = f"spawn(s.{name}, ...) in reset or step, or remove it"
            elif declared_field.type in (BOOL, INT, FLOAT):
                hint += f"; a constant is {name.upper()} = {declared_field.init}"
            out.add("E603", place, what, hint)
        elif name not in read and not _is_shown(declared_field):
            hint = "use it in a rule, or remove it"
            if not declared_field.hidden:
                hint += "; what is there to be seen alone goes into a grid"
            out.add("E604", place, f"s.{name} is never read", hint)
