"""Pictures of a state: text, an RGB frame, PNG and GIF.

All functions take a state of either back end and show one copy of it. Programs with ``def view(s)``
are drawn by it (on top of the board); all others show their board, rows and places.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envs_dsl.backends import numpy_backend
from envs_dsl.backends.state import State, outcome_name
from envs_dsl.interface.plan import Plan, kind_of, place, plan_of
from envs_dsl.language.types import Array, Field, Grid, Scalar, TableRef
from envs_dsl.language.vocabulary import ACTIONS, DIR_DELTAS, DIRS
from envs_dsl.render_tiles import Canvas

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["render_rgb", "render_text", "save_gif", "save_png"]

MARKS = "@&%$"
"""Glyphs of the seats, in order."""


class _Thing(NamedTuple):
    """Something with a place. ``kind``: "player", "row" or "thing"; ``number``: seat or table."""

    kind: str
    number: int
    name: str
    cell: tuple[int, int]
    exact: tuple[float, float]


def render_text(program: Program, state: State, index: int = 0) -> str:
    """The board in glyphs, what the glyphs of moving things mean, and the other fields in words."""
    one, plan = _single(state, index), _plan(program)
    rows, cols = program.game.size
    board = [["."] * cols for _ in range(rows)]
    used = set()
    if plan.slots.looks is not None:
        assert isinstance(plan.slots.looks.type, Grid)
        glyphs = [look.glyph for look in program.tree.enum(plan.slots.looks.type.elem.enum).looks]
        used |= set(glyphs)
        board = [[glyphs[code] for code in row] for row in one.fields[plan.slots.looks.name][0]]
    elif plan.slots.flags is not None:
        board = [["#" if v else "." for v in row] for row in one.fields[plan.slots.flags.name][0]]
    marks: dict[str, str] = {}
    for thing in reversed(list(_things(plan, one))):
        mark = marks.get(thing.name) or _mark(thing, used)
        marks[thing.name] = mark
        used.add(mark)
        r, c = thing.cell
        if 0 <= r < rows and 0 <= c < cols:
            board[r][c] = mark
    lines = ["".join(row) for row in board]
    if marks:
        lines.append("  ".join(f"{mark} {name}" for name, mark in reversed(marks.items())))
    lines.append("  ".join(_words(program, one)))
    return "\n".join(lines)


def render_rgb(program: Program, state: State, index: int = 0, scale: int = 24) -> np.ndarray:
    """A frame, uint8[rows·scale + bar, cols·scale, 3]; the bar below shows time and outcome."""
    one, plan = _single(state, index), _plan(program)
    canvas = Canvas(program.game.size, scale)
    _draw_board(canvas, program, plan, one)
    shapes = _shapes(program, one) if program.tree.view else ()
    for thing in reversed(list(_things(plan, one))):
        if thing.kind == "player" and not _drawn_by_view(plan, program):
            canvas.player(thing.exact, thing.number, _facing(plan, one, thing.number))
        elif thing.kind == "row":
            canvas.row(thing.exact, thing.number)
        elif thing.kind == "thing" and not program.tree.view:
            canvas.thing(thing.exact, thing.number)
    for shape in shapes:
        if shape.mask is None or bool(np.ravel(shape.mask)[0]):
            args = [
                np.reshape(np.asarray(a, np.float64), (-1, *np.shape(a)[1:]))[0] for a in shape.args
            ]
            seat = None if shape.seat is None else int(np.ravel(shape.seat)[0])
            canvas.shape(shape.kind, args, shape.color, seat)
    limit = max(1, program.game.max_steps)
    return canvas.finish(float(one.t[0]) / limit, outcome_name(int(one.outcome[0])))


def save_png(path: str | os.PathLike[str], frame: np.ndarray) -> None:
    """Write a frame.

    Raises:
      OSError: the file cannot be written.
    """
    from PIL import Image

    Image.fromarray(frame).save(pathlib.Path(path), format="PNG")


def save_gif(
    path: str | os.PathLike[str], frames: Sequence[np.ndarray], seconds: float = 0.15
) -> None:
    """Write frames as an animation that repeats; the last frame stays for a moment.

    Raises:
      OSError: the file cannot be written. ValueError: there is no frame.
    """
    from PIL import Image

    if not frames:
        raise ValueError("a GIF needs at least one frame")
    pictures = [Image.fromarray(f).quantize(64) for f in frames]
    times = [int(1000 * seconds)] * (len(frames) - 1) + [int(1000 * max(seconds, 1.0))]
    pictures[0].save(
        pathlib.Path(path),
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=times,
        loop=0,
    )


def _single(state: State, index: int) -> State:
    """One copy as NumPy arrays with a batch axis of 1."""

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: cut(v) for name, v in value.items()}
        return np.asarray(value)[index : index + 1]

    return State(*(cut(value) for value in state))


def _plan(program: Program) -> Plan:
    return plan_of(program.tree)


def _things(plan: Plan, one: State) -> Iterator[_Thing]:
    """Everything with a place, what lies on top first."""
    player = plan.slots.player
    if player is not None:
        for seat, (cell, exact) in enumerate(_spots(plan, player, one.fields[player.name])):
            name = f"{player.name}[{seat}]" if player.players else player.name
            yield _Thing("player", seat, name, cell, exact)
    for number, table in enumerate(plan.slots.tables):
        columns = one.fields[table.field.name]
        spots = _spots(plan, table.place, columns[table.place.name])
        for row, (cell, exact) in enumerate(spots):
            if columns["alive"][0, row]:
                yield _Thing("row", number, table.field.name, cell, exact)
    for number, field in enumerate(plan.slots.things):
        for cell, exact in _spots(plan, field, one.fields[field.name]):
            yield _Thing("thing", number, field.name, cell, exact)


def _spots(
    plan: Plan, declared: Field, value: np.ndarray
) -> Iterator[tuple[tuple[int, int], tuple[float, float]]]:
    found = place(np, plan.game, kind_of(declared), value.reshape(-1, 2))
    for cell, exact in zip(found.cell.tolist(), found.exact.tolist()):
        yield (cell[0], cell[1]), (exact[0], exact[1])


def _mark(thing: _Thing, used: set[str]) -> str:
    """A glyph that no tile has: seats have their own, other things a letter of their name."""
    letters = thing.name[0].upper() + thing.name[0].lower() + thing.name[1:].lower()
    options = MARKS[thing.number :] if thing.kind == "player" else letters + "*+?=^"
    return next((c for c in options if c not in used and c.isprintable()), options[0])


def _words(program: Program, one: State) -> list[str]:
    """Clock, reward and the fields that have no place on the board; hidden ones in parentheses."""
    outcome = outcome_name(int(one.outcome[0]))
    words = [f"t={int(one.t[0])}/{program.game.max_steps}"]
    words.append("reward=" + "/".join(f"{v:.2f}" for v in one.total[0]))
    words.append(f"last={'/'.join(ACTIONS[a] for a in one.last_action[0])}")
    for field in program.tree.fields:
        if isinstance(field.type, Grid | TableRef) or kind_of(field) == "Pos":
            continue
        values = np.asarray(one.fields[field.name][0])
        entries = values if isinstance(field.type, Array) else values[None]
        text = ",".join(_value(program, field, entry) for entry in entries)
        words.append(f"({field.name}={text})" if field.hidden else f"{field.name}={text}")
    return [*words, outcome.upper()] if outcome else words


def _value(program: Program, field: Field, value: np.ndarray) -> str:
    kind = kind_of(field)
    if kind == "Enum":
        element = field.type if isinstance(field.type, Scalar) else field.type.elem  # type: ignore[union-attr]
        return program.tree.enum(element.enum).members[int(value)]
    if kind == "Dir":
        return DIRS[int(value)]
    if kind == "Vec2":
        return f"<{value[0]:.2f} {value[1]:.2f}>"
    return f"{value:.2f}" if kind == "Float" else str(value)


def _draw_board(canvas: Canvas, program: Program, plan: Plan, one: State) -> None:
    found = plan.slots
    if found.looks is not None:
        assert isinstance(found.looks.type, Grid)
        enum = program.tree.enum(found.looks.type.elem.enum)
        canvas.tiles(one.fields[found.looks.name][0], enum.looks, found.codes)
    if found.numbers is not None and found.numbers.range is not None:
        bounds = found.numbers.range
        values = one.fields[found.numbers.name][0].astype(np.float64)
        canvas.heat((values - bounds.lo) / max(bounds.hi - bounds.lo, 1e-9))
    if found.flags is not None:
        canvas.flags(one.fields[found.flags.name][0])


def _shapes(program: Program, one: State) -> Iterable[Any]:
    backend = numpy_backend(program)
    return backend.view(backend.constants(program), one)


def _drawn_by_view(plan: Plan, program: Program) -> bool:
    """A ``view`` draws the players of continuous games itself."""
    player = plan.slots.player
    return bool(program.tree.view) and player is not None and kind_of(player) == "Vec2"


def _facing(plan: Plan, one: State, seat: int) -> tuple[int, int]:
    """(rows, cols) of where a player looks: its Dir field, else its last move."""
    for value in plan.slots.values:
        if value.column is None and kind_of(value.field) == "Dir":
            codes = np.ravel(one.fields[value.field.name][0])
            return DIR_DELTAS[int(codes[seat if value.field.players else 0])]
    action = int(one.last_action[0, seat])
    return DIR_DELTAS[action] if action < 5 else (0, 0)
