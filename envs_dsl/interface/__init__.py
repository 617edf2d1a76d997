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
from envs_dsl.interface import hud as hud_of
from envs_dsl.interface.plan import plan_of, player_place
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
    "Compact",
    "Observation",
    "expand",
    "full_view",
    "observe",
    "observe_compact",
    "unpack_cells",
]

VIEW = 9
"""Side of the window, in cells (odd)."""
HUD = hud_of.LENGTH
"""Length of the hud: 152."""
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


class Compact(NamedTuple):
    """An observation without what never changes in its program; ``expand`` gives the whole one.

    Attributes:
      cells: uint8, uint16 or uint32[..., V, V]: the six channels of a cell in one number, as narrow
        as the program allows; [..., 0, 0] where the window never changes.
      hud: float32[..., D], the slots of the hud that are in use, without the last action.
      action: uint8[...], the last action.
      on_turn: bool[..., 1] where turns alternate, else [..., 0].
    """

    cells: Any
    hud: Any
    action: Any
    on_turn: Any


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
    return expand(xp, tree, observe_compact(xp, tree, state, max_steps, view), view)


def observe_compact(xp: Any, tree: Tree, state: Any, max_steps: Any, view: int = VIEW) -> Compact:
    """``observe`` without what never changes: what a roll-out buffer of one program holds.

    Its shapes and dtypes depend on the program (of one skeleton they are all the same), so
    observations of several programs are joined as whole ones.

    Args and errors: as of ``observe``.

    Returns:
      Every field with leading axes [B, S].
    """
    if view < 1 or view % 2 == 0:
        raise ValueError(f"view must be odd and positive, not {view}")
    plan = plan_of(tree)
    board = cells_of.pack_board(xp, plan, state)
    elapsed = hud_of.clock(xp, state, max_steps)
    cells, huds = [], []
    for seat in range(plan.game.players):
        me = player_place(xp, plan, state, seat)
        cells.append(cells_of.packed_window(xp, plan, state, board, seat, me.cell, view))
        huds.append(hud_of.packed_hud(xp, plan, state, seat, me, elapsed))
    seats = np.arange(plan.game.players, dtype=np.int32)[:, None]
    alternate = plan.game.players > 1 and plan.game.turns == "alternate"
    return Compact(
        cells=xp.stack(cells, 1),
        hud=xp.stack(huds, 1),
        action=state.last_action.astype(np.uint8),
        on_turn=state.turn[:, None, None] == (seats if alternate else seats[:, :0]),
    )


def expand(xp: Any, tree: Tree, compact: Compact, view: int = VIEW) -> Observation:
    """The whole observation, bit for bit as ``observe`` gives it.

    Args:
      xp, tree, view: as for the observation.
      compact: with any leading axes, of which the last is that of the seats: all, or the first.
    """
    plan = plan_of(tree)
    legal = xp.zeros((*compact.action.shape, ACTIONS), bool) | plan.legal
    if compact.on_turn.shape[-1]:  # whoever is not on turn can only stay
        legal = legal & (compact.on_turn | (np.arange(ACTIONS) == 0))
    return Observation(
        cells=cells_of.unpack(xp, plan, compact.cells, view),
        hud=hud_of.unpack(xp, plan, compact.hud, compact.action),
        legal=legal,
    )


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
