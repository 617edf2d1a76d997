"""The spaces of the fixed interface, with bounds that every observation of a program keeps."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from envs_dsl.interface import ACTIONS, CELL_CHANNELS, CELL_FEATURES, HUD, VIEW
from envs_dsl.interface.plan import kind_of
from envs_dsl.language import slots
from envs_dsl.language.types import Field, Game
from envs_dsl.language.vocabulary import COLORS
from envs_dsl.program import Program

__all__ = ["action_space", "feature_space", "observation_space"]

_CELL_HIGH = np.asarray(
    [len(COLORS) - 1, slots.VARIANTS - 1, 255, slots.OCCUPANTS - 1, 255, 255], np.uint8
)


def action_space() -> spaces.Discrete:
    """The 20 actions, the same for every program."""
    return spaces.Discrete(ACTIONS)


def observation_space(program: Program) -> spaces.Dict:
    """What one seat of the program sees (see ``envs_dsl.interface`` for the meaning).

    Returns:
      ``cells`` Box uint8[9, 9, 6], ``hud`` Box float32[152], ``legal`` MultiBinary(20). Shapes are
      the same for every program. So are the bounds, except for bearings (±3 for most programs) of a
      program in which something may leave the board by more than a board.
    """
    low, high = _hud_bounds(program)
    cells = np.broadcast_to(_CELL_HIGH, (VIEW, VIEW, CELL_CHANNELS))
    return spaces.Dict(
        {
            "cells": spaces.Box(np.zeros_like(cells), cells, dtype=np.uint8),
            "hud": spaces.Box(low, high, dtype=np.float32),
            "legal": spaces.MultiBinary(ACTIONS),
        }
    )


def feature_space(packed: spaces.Dict) -> spaces.Dict:
    """The space after ``CellFeatures``: ``cells`` float32[9, 9, 39] in [0, 1], the rest alike."""
    cells = spaces.Box(0.0, 1.0, (VIEW, VIEW, CELL_FEATURES), np.float32)
    return spaces.Dict({**packed.spaces, "cells": cells})


def _hud_bounds(program: Program) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the hud, float32[152] twice, in the order of ``interface.hud``."""
    reach = max(3.0, *_reaches(program))
    blocks: list[tuple[int, float, float]] = [
        (1, 0, 1),  # clock
        (1, -1, 1),  # reward paid
        (ACTIONS, 0, 1),  # last action
        (1, -2, 2),  # last reward: from one end of the budget to the other
        (1, 0, 1),  # seat
    ]
    for group, room in slots.CAPACITY.items():
        match group:
            case "flag":
                blocks.append((room, 0, 1))
            case "count" | "meter":
                blocks.append((room, -1, 1))
            case "bearing":
                blocks += [(1, 0, 1), (2, -reach, reach)] * room
    low = np.concatenate([np.full(n, lo, np.float32) for n, lo, _ in blocks])
    high = np.concatenate([np.full(n, hi, np.float32) for n, _, hi in blocks])
    assert len(low) == HUD
    return low, high


def _reaches(program: Program) -> list[float]:
    """How large a bearing can get along each axis: the player's own, then from it to others."""
    game, tree = program.game, program.tree
    columns = [column for row in tree.rows for column in row.columns]
    places = [f for f in (*tree.fields, *columns) if slots.is_place(f, game.size)]
    found = [0.0]
    for axis, side in enumerate(game.size):
        middle = (side - 1) / 2
        spans = [_span(place, game, axis) for place in places] + [(middle, middle)]
        least, most = min(lo for lo, _ in spans), max(hi for _, hi in spans)
        found += [max(middle - least, most - middle) * 2 / side, (most - least) / side]
    return found


def _span(place: Field, game: Game, axis: int) -> tuple[float, float]:
    """Least and greatest row (axis 0) or column (1) that a place can take, in cells."""
    side = game.size[axis]
    if kind_of(place) == "Pos":
        return -side, 2 * side - 1
    assert place.range is not None
    return place.range.lo + (side - 1) / 2, place.range.hi + (side - 1) / 2
