"""What a small program needs to be a game: things on the board, and a win that is walked to.

The grammar makes programs that check. Left at that, a small model writes ``win()`` in the first
block that is open, and the game wins by itself. These are lines and rules of the simplest kind of
game there is: ``reset`` places something, the player moves, and the win looks at where it stands.
What is placed, what is looked for and what else happens is the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from envs_dsl.language.ebnf import Expr, choice, words
from envs_dsl.language.ebnf import lark as as_lark
from envs_dsl.language.grammar import SoFar
from envs_dsl.language.parse import MAX_LINE
from envs_dsl.language.sense import uses_of_fields
from envs_dsl.language.types import POS, Field, Grid, TableRef

__all__ = ["goal", "meeting", "mover", "moves", "placing", "spoils"]

MOST_PLACED = 12
"""Things that a parameter counts."""

_MOVE = re.compile(r"s\.(\w+) = try_move\(s\.\1, act\.move\)")
_OUTCOME = re.compile(r"(win|lose|draw)\(")
_IF = re.compile(r"(if|elif) |else:")


def moves(known: SoFar) -> str:
    """A Lark grammar of the first line of ``step``: the player does what it is told; "" without a
    place that it sees."""
    fields = [f.name for f in known.declared.fields.values() if f.type == POS and not f.hidden]
    lines = [f"    s.{name} = try_move(s.{name}, act.move)" for name in fields]
    return as_lark({"start": (words(lines), "\n")}) if lines else ""


def mover(line: str) -> str:
    """The field that such a line moves, "" for any other line."""
    found = _MOVE.fullmatch(line.strip())
    return found[1] if found else ""


def placing(known: SoFar, lines: Sequence[str]) -> str:
    """A Lark grammar of the next thing that ``reset`` still has to place, "" where nothing is left.

    Boards come first, each with a thing on it, then the parameters that count such things, then the
    places of fields, on free cells.

    Args:
      lines: those of ``reset`` so far.
    """
    found = list(_on_boards(known, lines)) or list(_counted(known, lines)) or list(_places(known))
    return as_lark({"start": (choice(*found), "\n")}) if found else ""


def goal(known: SoFar, lines: Sequence[str], me: str) -> str:
    """A Lark grammar of the head of a block that the player enters by walking somewhere.

    Args:
      lines: those of ``reset``: what is looked for has been placed there. me: as for ``spoils``.
    """
    heads: list[Expr] = []
    for field, things in _boards(known):
        seen = [t for t in things if _is_placed(field, [t], lines)]
        if seen:
            heads.append((f"    if s.{field.name}[s.{me}] == ", words(seen), ":"))
    written, _ = uses_of_fields(known.declared, known.functions.get("reset", ()))
    moved, met = uses_of_fields(known.declared, known.functions.get("step", ()))
    for field in known.declared.fields.values():
        if field.name not in written - moved - met:
            continue  # what moves may come to a player that stands still
        if field.type == POS and field.name != me:
            heads.append(f"    if s.{me} == s.{field.name}:")
        elif isinstance(field.type, TableRef):
            columns = known.declared.rows[field.type.row_type].columns
            where = next((c.name for c in columns if c.type == POS), "")
            if where:
                each = _free(known, "each")
                loop = f"    for {each} in s.{field.name}:\n        "
                heads.append(f"{loop}if {each}.{where} == s.{me}:")
    return as_lark({"start": (choice(*heads), "\n")}) if heads and me else ""


def meeting(known: SoFar, table: str, me: str) -> str:
    """A Lark grammar of a loop over rows that walk, or that the player meets; "" without a place.

    Args:
      table: a field of rows. me: the field of the player's place.
    """
    type_ = known.declared.fields[table].type
    assert isinstance(type_, TableRef)
    columns = known.declared.rows[type_.row_type].columns
    where = next((c.name for c in columns if c.type == POS), "")
    if not where or not me:
        return ""
    each = _free(known, "each")
    place = f"{each}.{where}"
    walks = f"{place} = try_move({place}, "
    inner = choice(
        f"if {place} == s.{me}:",
        (walks, choice("random_dir()", f"toward({place}, s.{me})", f"away({place}, s.{me})"), ")"),
    )
    return as_lark({"start": (f"    for {each} in s.{table}:\n        ", inner, "\n")})


def spoils(line: str, lines: Sequence[str], me: str) -> bool:
    """Whether a line of ``step`` leaves nothing to play for.

    It ends the game in a block that no test of the player's place leads to; or, under no condition
    at all, it takes the move back, wipes a board or removes a row.

    Args:
      lines: those of ``step`` before it. me: the field of the player's place.
    """
    if not me:
        return False
    text = line.strip()
    conditions = _conditions(line, lines)
    if _OUTCOME.match(text):
        place = rf"s\.{re.escape(me)}"
        stands = re.compile(rf"\[{place}\]|{place} == |== {place}\b(?!\.)")
        return not any(stands.search(condition) for condition in conditions)
    return not conditions and bool(
        re.match(rf"s\.{re.escape(me)}(\.\w+)? [-+*]?= (?!try_move\(s\.)", text)
        or re.match(r"s\.\w+ = [A-Z]\w*\.\w+$", text)
        or text.startswith("kill(")
    )


def _conditions(line: str, lines: Sequence[str]) -> list[str]:
    """The heads with a condition of the blocks around a line."""
    depth = len(line) - len(line.lstrip())
    found = []
    for other in reversed([other for other in lines if other.strip()]):
        indent = len(other) - len(other.lstrip())
        if indent < depth:
            depth = indent
            if _IF.match(other.strip()):
                found.append(other.strip())
    return found


# --- lines of reset -------------------------------------------------------------------------------


def _boards(known: SoFar) -> Iterator[tuple[Field, list[str]]]:
    """Boards that the player sees, each with what may lie on it and be walked on."""
    for field in known.declared.fields.values():
        if isinstance(field.type, Grid) and field.type.elem.kind == "Enum" and not field.hidden:
            enum = known.declared.enums[field.type.elem.enum]
            looks = zip(enum.members, enum.looks, strict=True)
            open_ = [i for i, (_, look) in enumerate(looks) if "solid" not in look.tags]
            yield field, [f"{enum.name}.{enum.members[i]}" for i in open_ if i != field.init]


def _ground(known: SoFar, field: Field) -> str:
    assert isinstance(field.type, Grid) and isinstance(field.init, int)
    enum = known.declared.enums[field.type.elem.enum]
    return f"s.{field.name} == {enum.name}.{enum.members[field.init]}"


def _on_boards(known: SoFar, lines: Sequence[str]) -> Iterator[Expr]:
    for field, things in _boards(known):
        cell = f"    s.{field.name}[random_cell({_ground(known, field)})] = "
        if things and not _is_placed(field, things, lines) and _short(cell, things):
            yield (cell, words(things))


def _short(cell: str, things: Sequence[str]) -> bool:
    return len(cell) + max(map(len, things)) <= MAX_LINE


def _is_placed(field: Field, things: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether a line of ``reset``, in no block, puts one of the things on a board."""
    ends = tuple(f"= {t}" for t in things)
    start = f"    s.{field.name}["
    return any(line.startswith(start) and line.rstrip().endswith(ends) for line in lines)


def _counted(known: SoFar, lines: Sequence[str]) -> Iterator[Expr]:
    for name, param in known.declared.params.items():
        if name in known.used or not param.is_int or not 1 <= param.high <= MOST_PLACED:
            continue
        each = _free(known, "k")
        loop = f"    for {each} in range({int(param.high)}):\n        if {each} < {name}:\n"
        for field, _ in _boards(known):
            assert isinstance(field.type, Grid)
            enum = known.declared.enums[field.type.elem.enum]
            things = [f"{enum.name}.{m}" for i, m in enumerate(enum.members) if i != field.init]
            # many things to look for are found by chance
            things = [t for t in things if not _is_placed(field, [t], lines)] or things
            cell = f"            s.{field.name}[random_cell({_ground(known, field)})] = "
            if things and _short(cell, things):
                yield (loop, cell, words(things))


def _places(known: SoFar) -> Iterator[Expr]:
    written, _ = uses_of_fields(known.declared, known.functions.get("reset", ()))
    free = [_ground(known, field) for field, things in _boards(known) if things]
    for field in known.declared.fields.values():
        if not free or field.name in written:
            continue
        if field.type == POS:
            yield (f"    s.{field.name} = random_cell(", choice(*free), ")")
        elif isinstance(field.type, TableRef):
            columns = known.declared.rows[field.type.row_type].columns
            for column in columns:
                if column.type == POS:
                    cell = (f"{column.name}=random_cell(", choice(*free), "))")
                    yield (f"    spawn(s.{field.name}, ", *cell)


def _free(known: SoFar, name: str) -> str:
    """The name, or with a number behind it where it is taken."""
    taken = {*known.declared.lines, *(n for spot in known.spots for n in spot.scope.types)}
    taken |= {n for spot in known.spots for n in spot.scope.rows}
    return next(n for n in (name, *(f"{name}{i}" for i in range(2, 99))) if n not in taken)
