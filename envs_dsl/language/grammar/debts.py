"""What an unfinished program still owes: everything declared is written and read, and can be won.

The checker tells of these when the text is whole (E601 to E604). Whoever writes line by line asks
before: ``debts`` lists them, and ``paying`` is the grammar of one line that settles the first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Literal

from envs_dsl.language.ebnf import Expr, Ref, words
from envs_dsl.language.grammar.body_lines import Body
from envs_dsl.language.grammar.limits import WIDE, Limits
from envs_dsl.language.grammar.next_line import as_text
from envs_dsl.language.grammar.sofar import SoFar, Spot
from envs_dsl.language.sense import uses_of_fields
from envs_dsl.language.types import (
    BOOL,
    FLOAT,
    INT,
    POS,
    VEC2,
    Array,
    Field,
    Grid,
    Scalar,
    TableRef,
    Type,
)
from envs_dsl.language.vocabulary import ACTIONS

__all__ = ["Debt", "debts", "paying"]

DebtKind = Literal["write", "read", "verb", "param", "layout", "win"]


@dataclasses.dataclass(frozen=True)
class Debt:
    """One thing that is missing: ``name`` is the field, verb, parameter or layout."""

    kind: DebtKind
    name: str = ""


def debts(known: SoFar) -> tuple[Debt, ...]:
    """What is owed: fields to write first, then what must be read, then the win."""
    declared = known.declared
    written, read = _fields(known)
    found: list[Debt] = []
    for name, field in declared.fields.items():
        if name not in written:
            found.append(Debt("write", name))
        shown = isinstance(field.type, Grid) and not field.hidden
        if name not in read and not shown:
            found.append(Debt("read", name))
    for verb in declared.game.verbs if declared.game else ():
        if ACTIONS.index(verb) not in known.verbs:
            found.append(Debt("verb", verb))
    found += [Debt("param", name) for name in declared.params if name not in known.used]
    found += [Debt("layout", name) for name in declared.layouts if name not in known.used]
    if not any(effect == "win" for effect, _ in known.outcomes):
        found.append(Debt("win"))
    return tuple(found)


def _fields(known: SoFar) -> tuple[set[str], set[str]]:
    """Fields that are written, and those that are read."""
    statements = (s for block in known.functions.values() for s in block)
    return uses_of_fields(known.declared, statements)


def paying(known: SoFar, debt: Debt, limits: Limits = WIDE) -> str:
    """A Lark grammar of a line of the open function that settles a debt, "" where none can: outside
    of functions, for example.

    A line that opens a block settles it by its head; the block is still to be written. For "win"
    it is ``win()`` in a block that was just opened, and else the head of such a block.
    """
    if not known.spots:
        return ""
    inside = debt.kind == "win" and known.opened and known.spots[0].depth > 1
    spot = known.spots[0 if inside else -1]
    body = Body(known, spot, spot.scope, limits)
    lines = list(_lines(known, debt, spot, body))
    indent = "    " * spot.depth
    start = [(indent, line, "\n") for line in lines]
    return as_text(list(start), body.rules)


def _lines(known: SoFar, debt: Debt, spot: Spot, body: Body) -> Iterator[Expr]:
    fields = known.declared.fields
    match debt.kind:
        case "win":
            # where nobody has won yet, this decides whether the game is a contest: it is none
            yield ("if ", Ref("either"), ":") if spot.depth == 1 else "win()"
        case "verb":
            for act in body.typed.named("act"):
                yield f"if {act}.{debt.name}:"
            for acts in body.typed.named("acts"):
                yield f"if {acts}[0].{debt.name}:"
        case "param":
            signs = words((" < ", " <= ", " > ", " >= "))
            whole = known.declared.params[debt.name].is_int
            yield ("if ", Ref("live_num"), signs, f"{debt.name}:")
            if not whole:
                yield f"if chance({debt.name}):"
        case "layout":
            enum = known.declared.layouts[debt.name].enum
            for name, field in fields.items():
                if field.type == Grid(Scalar("Enum", enum)):
                    yield f"s.{name} = paint({debt.name})"
        case "write":
            yield from _writes(debt.name, fields[debt.name], body)
        case "read":
            for test in _reads(f"s.{debt.name}", fields[debt.name].type, body):
                yield ("if ", test, ":")
            if isinstance(fields[debt.name].type, TableRef):
                yield ("for ", Ref("EACH"), f" in s.{debt.name}:")


def _writes(name: str, field: Field, body: Body) -> Iterator[Expr]:
    text = f"s.{name}"
    match field.type:
        case TableRef():
            yield from (s for s in body.spawning() if s[0] == f"spawn({text}")  # type: ignore[index]
        case Grid(elem=elem):
            yield from body.change((text, "[", Ref("pos"), "]"), elem)
        case Array(elem=elem, index=enum):
            index = body.typed.key(Scalar("Enum", enum)) if enum else "int"
            yield from body.change((text, "[", Ref(index or "int"), "]"), elem)
        case _:
            yield from body.change(text, field.type)


def _reads(text: str, type_: Type, body: Body) -> Iterator[Expr]:
    """Conditions that depend on a value."""
    same = words((" == ", " != "))
    order = words((" == ", " < ", " <= ", " > ", " >= "))
    match type_:
        case Scalar(kind="Bool"):
            yield text
            yield f"not {text}"
        case Scalar() if type_ in (INT, FLOAT):
            yield (text, order, Ref("chain_num"))
        case Scalar() if type_ == VEC2:
            yield (f"length({text})", order, Ref("chain_num"))
        case Scalar() if type_ == POS:
            yield (text, same, Ref("chain_pos"))
        case Scalar(kind="Dir"):
            yield (text, same, Ref("chain_dir"))
        case Scalar(kind="Enum"):
            yield (text, same, Ref(f"chain_{body.typed.key(type_)}"))
        case Grid(elem=elem) if elem == BOOL:
            yield f"any({text})"
            yield (text, "[", Ref("pos"), "]")
        case Grid(elem=elem) if elem in (INT, FLOAT):
            yield (f"total({text})", order, Ref("chain_num"))
        case Array(elem=elem, index=enum):
            index = body.typed.key(Scalar("Enum", enum)) if enum else "int"
            yield from _reads_cell(text, elem, Ref(index or "int"))


def _reads_cell(text: str, elem: Scalar, index: Expr) -> Iterator[Expr]:
    """Conditions that depend on an entry of an array."""
    cell = (f"{text}[", index, "]")
    if elem == BOOL:
        yield cell
    elif elem in (INT, FLOAT):
        yield (*cell, words((" == ", " < ", " <= ", " > ", " >= ")), Ref("chain_num"))
    elif elem == POS:
        yield (*cell, words((" == ", " != ")), Ref("chain_pos"))
