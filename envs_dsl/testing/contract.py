"""What a state, a step's result and an observation of a program must look like."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.backends import State, StepOut
from envs_dsl.backends.layout import dtype_of, element, pos_bounds, shape_of
from envs_dsl.interface import ACTIONS, CELL_CHANNELS, HUD, VIEW, Observation
from envs_dsl.language.slots import OCCUPANTS, VARIANTS
from envs_dsl.language.types import Field, TableRef
from envs_dsl.language.vocabulary import COLORS, DIRS
from envs_dsl.program import Program
from envs_dsl.testing.failure import fail

__all__ = ["check_observation", "check_out", "check_state"]

_CELL_HIGH = np.asarray([len(COLORS) - 1, VARIANTS - 1, 255, OCCUPANTS - 1, 255, 255])


def check_state(program: Program, state: State, copies: int) -> None:
    """Shapes, dtypes and declared ranges of all fields, and of what every state has.

    Raises:
      ConformanceError: of "shapes" or "ranges".
    """
    seats = program.game.players
    expected = {
        "seed": (np.int32, (2,)),
        "t": (np.int32, ()),
        "turn": (np.int32, ()),
        "params": (np.float32, (len(program.params),)),
        "outcome": (np.int32, ()),
        "total": (np.float32, (seats,)),
        "score": (np.float32, (seats,)),
        "last_action": (np.int32, (seats,)),
        "last_reward": (np.float32, (seats,)),
        "fault": (np.bool_, ()),
        "illegal": (np.int32, ()),
    }
    for name, (dtype, shape) in expected.items():
        _like(name, getattr(state, name), dtype, (copies, *shape))
    names = {field.name for field in program.tree.fields}
    if set(state.fields) != names:
        fail("shapes", f"the state has the fields {sorted(state.fields)}, not {sorted(names)}")
    for field in program.tree.fields:
        if isinstance(field.type, TableRef):
            _check_table(program, field, state.fields[field.name], copies)
        else:
            value = np.asarray(state.fields[field.name])
            _like(field.name, value, dtype_of(field.type), (copies, *_shape(program, field)))
            _in_range(program, field.name, field, value)
    _within("turn", state.turn, 0, seats - 1)
    _within("total", state.total, -1, 1)


def check_out(program: Program, out: StepOut, state: State, copies: int) -> None:
    """A step's result, and that it agrees with the state after it.

    Raises:
      ConformanceError: of "shapes", "ranges" or "ends".
    """
    _like("reward", out.reward, np.float32, (copies, program.game.players))
    _like("terminated", out.terminated, np.bool_, (copies,))
    _like("truncated", out.truncated, np.bool_, (copies,))
    _within("reward", out.reward, -2, 2)
    outcome = np.asarray(state.outcome)
    if ((outcome != 0) != out.terminated).any():
        fail("ends", "terminated must hold exactly where the game has an outcome")
    if (out.terminated & out.truncated).any():
        fail("ends", "terminated and truncated hold together")
    late = np.asarray(state.t) >= program.game.max_steps
    if (late & (outcome == 0) != out.truncated).any():
        fail("ends", f"truncated must hold from step {program.game.max_steps} on, and only then")


def check_observation(program: Program, seen: Observation, copies: int) -> None:
    """The fixed interface.

    Raises:
      ConformanceError: of "shapes" or "ranges".
    """
    seats = program.game.players
    cells = np.asarray(seen.cells)
    _like("cells", cells, np.uint8, (copies, seats, VIEW, VIEW, CELL_CHANNELS))
    _like("hud", seen.hud, np.float32, (copies, seats, HUD))
    _like("legal", seen.legal, np.bool_, (copies, seats, ACTIONS))
    if (cells > _CELL_HIGH).any():
        channel = int(np.argwhere(cells > _CELL_HIGH)[0][-1])
        fail("ranges", f"channel {channel} of cells exceeds {_CELL_HIGH[channel]}")
    if not np.isfinite(seen.hud).all():
        fail("ranges", f"hud[{int(np.argwhere(~np.isfinite(seen.hud))[0][-1])}] is not finite")
    if not np.asarray(seen.legal)[..., 0].all():
        fail("ranges", "STAY must always be legal")


def _check_table(program: Program, field: Field, table: Any, copies: int) -> None:
    assert isinstance(field.type, TableRef)
    columns = program.tree.row(field.type.row_type).columns
    _like(f"{field.name}.alive", table["alive"], np.bool_, (copies, field.capacity))
    for column in columns:
        name, value = f"{field.name}.{column.name}", np.asarray(table[column.name])
        shape = (copies, field.capacity, *_shape(program, column))
        _like(name, value, dtype_of(column.type), shape)
        _in_range(program, name, column, value, np.asarray(table["alive"]))


def _shape(program: Program, field: Field) -> tuple[int, ...]:
    return shape_of(field.type, program.game.size)


def _in_range(
    program: Program, name: str, field: Field, value: np.ndarray, alive: np.ndarray | None = None
) -> None:
    """Every stored value within what its declaration allows (rows of a table: those alive)."""
    scalar = element(field.type)
    if alive is not None:
        value = value[alive]
    if scalar.kind == "Pos":
        low, high = pos_bounds(program.game.size)
        if ((value < low) | (value > high)).any():
            fail("ranges", f"{name} lies outside {low.tolist()} to {high.tolist()}")
    elif scalar.kind == "Enum":
        _within(name, value, 0, len(program.tree.enum(scalar.enum).members) - 1)
    elif scalar.kind == "Dir":
        _within(name, value, 0, len(DIRS) - 1)
    elif field.range is not None:
        _within(name, value, float(np.float32(field.range.lo)), float(np.float32(field.range.hi)))
    elif value.dtype.kind == "f":
        _within(name, value, -np.inf, np.inf)


def _like(name: str, value: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    found = np.asarray(value)
    if found.dtype != dtype or found.shape != shape:
        wanted = f"{np.dtype(dtype)}{list(shape)}"
        fail("shapes", f"{name} is {found.dtype}{list(found.shape)}, not {wanted}")


def _within(name: str, value: Any, low: float, high: float) -> None:
    found = np.asarray(value)
    if found.dtype.kind == "f" and np.isnan(found).any():
        fail("ranges", f"{name} is not a number")
    outside = (found < low) | (found > high)
    if outside.any():
        fail("ranges", f"{name} is {found[outside][0]}, outside {low} to {high}")
