"""E6xx: programs that are well typed and still make no sense as a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envs_dsl.language import tree as T
from envs_dsl.language.declarations import Declarations
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.types import TableRef
from envs_dsl.language.vocabulary import ACTIONS

__all__ = ["check_sense", "is_contest", "walk"]


def walk(block: Iterable[object]) -> Iterator[object]:
    """Every node below, parents first, in source order."""
    stack = list(reversed(tuple(block)))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(T.children(node)))


def is_contest(step: T.Block) -> bool:
    """A game is a contest iff some ``win(seat)`` occurs."""
    return any(isinstance(n, T.Effect) and n.op == "win" and n.seat is not None for n in walk(step))


def check_sense(
    declared: Declarations,
    reset: T.Block,
    step: T.Block,
    view: T.Block,
    used: set[str],
    used_verbs: set[int],
    out: Diagnostics,
) -> None:
    """Report what can be decided from structure alone."""
    places = declared.functions
    step_node = places["step"]
    effects = [n for n in walk(step) if isinstance(n, T.Effect)]
    wins = [e for e in effects if e.op == "win"]
    if not wins:
        out.add(
            "E601",
            step_node,
            "no win() can be reached",
            "call win() in step when the player has done it",
        )
    if any(w.seat is None for w in wins) and any(w.seat is not None for w in wins):
        out.add(
            "E606",
            step_node,
            "win() and win(seat) are mixed",
            "use win(seat) in a contest, win() in co-operation",
        )
    elif is_contest(step):
        if declared.game is not None and declared.game.players < 2:
            out.add("E606", step_node, "win(seat) needs two players or more", "write win()")
        for effect in effects:
            if effect.op in ("reward", "lose") and effect.seat is None:
                what = (
                    "reward(x) needs a seat" if effect.op == "reward" else "lose() has no meaning"
                )
                hint = "write reward(x, i)" if effect.op == "reward" else "write win(opponent(i))"
                out.add("E607", step_node, f"in a contest {what}", hint)
    if declared.game is not None:
        for verb in declared.game.verbs:
            if ACTIONS.index(verb) not in used_verbs:
                out.add(
                    "E602",
                    step_node,
                    f"the action {verb} is declared and never read",
                    f"read act.{verb}, or remove it from verbs",
                )
    _fields(declared, reset, step, view, out)
    for name, line in declared.lines.items():
        kind = "parameter" if name in declared.params else "layout"
        if (name in declared.params or name in declared.layouts) and name not in used:
            what = f"the {kind} {name} is never read"
            out.add("E604", (line, 1), what, "use it in reset or step, or remove it")


def _fields(
    declared: Declarations, reset: T.Block, step: T.Block, view: T.Block, out: Diagnostics
) -> None:
    written: set[str] = set()
    read: set[str] = set()
    for node in walk((*reset, *step, *view)):
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
            case T.Column(table=table) | T.For(table=table) if table:
                read.add(table)
    for name, declared_field in declared.fields.items():
        place = (declared_field.line, 5)
        if name not in written:
            what = (
                "no row is ever spawned into"
                if isinstance(declared_field.type, TableRef)
                else "nothing is ever written to"
            )
            out.add(
                "E603", place, f"{what} s.{name}", "set it in reset or step, or make it a constant"
            )
        elif name not in read:
            out.add("E604", place, f"s.{name} is never read", "use it in a rule, or remove it")
