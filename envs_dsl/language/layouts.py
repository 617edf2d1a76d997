"""``NAME = Layout("…")``: a level drawn as text, one character a cell."""

from __future__ import annotations

import ast
import dataclasses
import textwrap

from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.types import EnumDecl

__all__ = ["MAX_LAYOUTS", "LayoutDecl", "read_layout"]

MAX_LAYOUTS = 8


@dataclasses.dataclass(frozen=True, slots=True)
class LayoutDecl:
    """A level as codes of the enum's members, in reading order: rows · columns of them."""

    enum: str
    cells: tuple[int, ...]


def read_layout(
    call: ast.Call, size: tuple[int, int], enums: dict[str, EnumDecl], out: Diagnostics
) -> LayoutDecl | None:
    """The layout that ``call`` draws; None when a fault was reported.

    Indentation that all lines share is dropped, and so are empty first and last lines. Each
    character is the glyph of a member of one enum: the first one declared that knows them all.
    """
    text = call.args[0].value if len(call.args) == 1 and not call.keywords else None  # type: ignore[attr-defined]
    if not isinstance(text, str):
        hint = 'LEVEL = Layout("""…""") with one character a cell'
        out.add("E308", call, "Layout takes one text", hint)
        return None
    lines = [line.rstrip() for line in textwrap.dedent(text).strip("\n").rstrip().split("\n")]
    rows, cols = size
    drawn = f"draw {rows} rows of {cols} cells (a space is none), or change size in Game(...)"
    if len(lines) != rows:
        out.add("E401", call, f"the layout has {len(lines)} rows and the board {rows}", drawn)
        return None
    for number, line in enumerate(lines, start=1):
        if len(line) != cols:
            what = f"row {number} of the layout has {len(line)} cells and the board {cols} columns"
            out.add("E401", call, what, drawn)
            return None
    used = set("".join(lines))
    for enum in enums.values():
        # two members may share a glyph: the first one declared is meant
        codes = {look.glyph: code for code, look in reversed(list(enumerate(enum.looks)))}
        if used <= set(codes):
            return LayoutDecl(enum.name, tuple(codes[char] for line in lines for char in line))
    missing = {
        enum.name: "".join(sorted(used - {look.glyph for look in enum.looks}))
        for enum in enums.values()
    }
    if not missing:
        out.add("E204", call, "a layout is drawn with the glyphs of an enum, and there is none")
        return None
    closest = min(missing, key=lambda name: len(missing[name]))
    glyphs = "".join(look.glyph for look in enums[closest].looks)
    out.add(
        "E204",
        call,
        f"no member of {closest} has the glyph {missing[closest][0]!r}",
        f"its glyphs are {glyphs}",
    )
    return None
