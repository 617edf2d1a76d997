"""What the policy sees: one fixed observation and one action set for all programs.

``observe`` serves NumPy and JAX alike (it takes the array module) on states with a batch axis.
Which field goes to which slot is data, made by ``envs_dsl.language.slots``.

Cells, ``uint8[B, S, V, V, 6]``, a window centred on the player of each seat (on the middle of the
board where the program says ``camera="board"``):

=======  ===========================================================================================
channel  meaning
=======  ===========================================================================================
0        colour (index in ``COLORS``) of the enum grid's look; off the board that of ``outside``
1        variant 0–3: tells apart members of equal colour and tags
2        tags, one bit each in the order of ``TAGS``
3        occupant: 0 none, 1 me, 2 another seat, 3–6 a row of that table (in order of declaration),
         7 anything else that has a place: further tables, other Pos and Vec2 fields. The lowest
         number wins where several stand in one cell (and in a table the lowest row)
4        leading column of that row scaled to 0–127, plus 128 where the Bool grid is set
5        numeric grid scaled from its declared range to 0–255
=======  ===========================================================================================

A program without an enum grid shows black cells and, off the board, gray solid ones.

Hud, ``float32[B, S, 152]``; Players fields list the seat's own value first, then the next seats':

========  ==========================================================================================
slots     meaning
========  ==========================================================================================
0–1       completed steps / step limit; reward paid so far
2–21      last action, one-hot
22        last reward
23        seat / (seats − 1)
24–39     flags: 0 or 1
40–63     counts: Int and enums scaled to [0, 1] (to [−1, 1] where the range reaches below 0)
64–79     meters: Float, and both parts of Vec2 motions, scaled likewise
80–151    24 bearings of (present, rows, columns): the player's own place relative to the board's
          centre in half boards; others relative to the player in boards; a Dir as −1, 0, 1
========  ==========================================================================================

Legal, ``bool[B, S, 20]``: the moves and the program's verbs; only STAY for a seat not on turn.
Hidden fields are never observed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envs_dsl.interface import cells as cells_of
from envs_dsl.interface.hud import clock, hud_of
from envs_dsl.interface.plan import Plan, board_centre, make_plan, player_place
from envs_dsl.language import slots
from envs_dsl.language.tree import Tree
from envs_dsl.language.vocabulary import ACTIONS as ACTION_NAMES
from envs_dsl.language.vocabulary import COLORS, TAGS

__all__ = [
    "ACTIONS",
    "CELL_CHANNELS",
    "CELL_FEATURES",
    "COLORS",
    "HUD",
    "VIEW",
    "Observation",
    "full_view",
    "observe",
    "unpack_cells",
]

VIEW = 9
"""Side of the window, in cells (odd)."""
HUD = 152
"""Length of the hud."""
ACTIONS = len(ACTION_NAMES)
"""Number of actions, the same for every program."""
CELL_CHANNELS = cells_of.CHANNELS
CELL_FEATURES = len(COLORS) + slots.VARIANTS + len(TAGS) + slots.OCCUPANTS + 3
"""Numbers a cell after ``unpack_cells``."""


class Observation(NamedTuple):
    """What one policy input holds; see the module's text for the meaning of every number.

    Attributes:
      cells: uint8[..., V, V, 6]. hud: float32[..., 152]. legal: bool[..., 20].
    """

    cells: Any
    hud: Any
    legal: Any


def full_view(size: tuple[int, int]) -> int:
    """Side of the window that shows the whole board wherever on it the player stands."""
    return 2 * max(size) - 1


def observe(xp: Any, tree: Tree, state: Any, max_steps: Any, view: int = VIEW) -> Observation:
    """Observation of every seat.

    Args:
      xp: ``numpy`` or ``jax.numpy`` (then it may be traced).
      tree: the program.
      state: back-end state with a leading batch axis B.
      max_steps: the step limit, int or int32[] (a hoisted constant).
      view: side V of the window, odd.

    Returns:
      cells uint8[B, S, V, V, 6], hud float32[B, S, 152], legal bool[B, S, 20].

    Raises:
      ValueError: ``view`` is even or below 1.
    """
    if view < 1 or view % 2 == 0:
        raise ValueError(f"view must be odd and positive, not {view}")
    plan = make_plan(tree.game, tree.enums, tree.rows, tree.fields)
    board = cells_of.pack_board(xp, plan, state)
    elapsed = clock(xp, state, max_steps)
    cells, huds, legal = [], [], []
    for seat in range(plan.game.players):
        me = player_place(xp, plan, state, seat)
        middle = me.cell if plan.game.camera == "player" else board_centre(xp, plan, state).cell
        around = cells_of.window(xp, plan, board, middle, view)
        things = cells_of.standing(xp, plan, state, seat, me.cell, middle, view)
        cells.append(cells_of.unpack_window(xp, plan, around, things, view))
        huds.append(hud_of(xp, plan, state, seat, me, elapsed))
        legal.append(_legal(xp, plan, state, seat))
    return Observation(xp.stack(cells, 1), xp.stack(huds, 1), xp.stack(legal, 1))


def unpack_cells(xp: Any, cells: Any) -> Any:
    """Cells as network input: uint8[..., 6] → float32[..., CELL_FEATURES], all within [0, 1].

    Order: colour one-hot 16, variant one-hot 4, tags 8, occupant one-hot 8, leading column, Bool
    grid, numeric grid.
    """

    def one_hot(channel: int, size: int) -> Any:
        wanted = xp.arange(size, dtype=xp.uint8)
        return (cells[..., channel, None] == wanted).astype(xp.float32)

    bits = xp.asarray(np.asarray([1 << i for i in range(len(TAGS))], np.uint8))
    tags = ((cells[..., 2, None] & bits) != 0).astype(xp.float32)
    lead = (cells[..., 4:5] & np.uint8(127)).astype(xp.float32) * np.float32(1 / 127)
    flag = (cells[..., 4:5] >= np.uint8(128)).astype(xp.float32)
    number = cells[..., 5:6].astype(xp.float32) * np.float32(1 / 255)
    parts = [one_hot(0, len(COLORS)), one_hot(1, slots.VARIANTS), tags]
    parts += [one_hot(3, slots.OCCUPANTS), lead, flag, number]
    return xp.concatenate(parts, -1)


def _legal(xp: Any, plan: Plan, state: Any, seat: int) -> Any:
    """Actions that do not count as illegal: bool[B, 20]."""
    legal = xp.zeros((state.t.shape[0], ACTIONS), bool) | plan.legal
    if plan.game.players > 1 and plan.game.turns == "alternate":
        on_turn = state.turn == np.int32(seat)
        legal = legal & (on_turn[:, None] | (np.arange(ACTIONS) == 0))
    return legal
