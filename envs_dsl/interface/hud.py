"""The hud: every visible field outside the grids, scaled and grouped by kind.

Packed it has the numbers that can vary in this program, in the order of the whole hud: the clock,
the reward paid and the last reward, then the values. The last action, a number, is kept beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.interface.plan import Place, Plan, kind_of, place
from envs_dsl.language import slots
from envs_dsl.language.types import Scalar, TableRef
from envs_dsl.language.vocabulary import ACTIONS, DIR_DELTAS

__all__ = ["LENGTH", "clock", "packed_hud", "unpack"]

_DELTAS = np.asarray(DIR_DELTAS, np.int32)
_LAST_ACTION = 2
_LAST_REWARD = _LAST_ACTION + len(ACTIONS)
_SEAT = _LAST_REWARD + 1
_VALUES = _SEAT + 1
LENGTH = _VALUES + sum(
    room * (3 if group == "bearing" else 1) for group, room in slots.CAPACITY.items()
)
"""Numbers of a whole hud."""


def clock(xp: Any, state: Any, max_steps: Any) -> Any:
    limit = xp.asarray(max_steps).astype(xp.float32)
    return state.t.astype(xp.float32) / xp.maximum(limit, np.float32(1))


def packed_hud(xp: Any, plan: Plan, state: Any, seat: int, me: Place, clock: Any) -> Any:
    """The numbers of one seat that can vary: float32[B, D]."""
    parts = [clock[:, None], state.total[:, seat, None], state.last_reward[:, seat, None]]
    values = plan.slots.values
    parts += [_number(xp, plan, state, v, seat) for v in values if v.group != "bearing"]
    if plan.slots.player is not None:
        parts.append(_own_place(plan, me.exact))
    parts += [_bearing(xp, plan, state, v, seat, me) for v in values if v.group == "bearing"]
    return xp.concatenate(parts, 1)


def unpack(xp: Any, plan: Plan, packed: Any, action: Any) -> Any:
    """The whole hud: float32[..., S, 152].

    Args:
      packed: of ``packed_hud``, float32[..., S, D]. action: last actions, integers [..., S].
    """
    lead = packed.shape[:-1]
    one_hot = (action[..., None] == np.arange(len(ACTIONS), dtype=action.dtype)).astype(xp.float32)
    seats = np.arange(lead[-1], dtype=np.float32)[:, None]
    own_seat = seats / np.float32(max(1, plan.game.players - 1))
    pieces = [(0, packed[..., :2]), (_LAST_ACTION, one_hot), (_LAST_REWARD, packed[..., 2:3])]
    pieces.append((_SEAT, xp.broadcast_to(own_seat, (*lead, 1))))
    read, start = 3, _VALUES  # of the packed hud; of the group in the whole one
    for group, room in slots.CAPACITY.items():
        values = [value for value in plan.slots.values if value.group == group]
        if group != "bearing":
            width = sum(value.count * value.width for value in values)
            pieces.append((start, packed[..., read : read + width]))
            read, start = read + width, start + room
            continue
        bearings = [(1, False), *((v.count, isinstance(v.field.type, TableRef)) for v in values)]
        for i, (count, in_table) in enumerate(bearings):
            if i == 0 and plan.slots.player is None:  # the player's place is the board's middle
                middle = _own_place(plan, np.asarray(plan.game.size, np.float32) // 2)
                block = xp.broadcast_to(np.append(np.float32(0), middle), (*lead, 3))
            elif in_table:
                block = packed[..., read : read + 3 * count]
                read += 3 * count
            else:
                away = packed[..., read : read + 2 * count].reshape(*lead, count, 2)
                present = xp.ones((*lead, count, 1), np.float32)
                block = xp.concatenate([present, away], -1).reshape(*lead, 3 * count)
                read += 2 * count
            pieces.append((start, block))
            start += 3 * count
    return _laid_out(xp, lead, pieces)


def _laid_out(xp: Any, lead: tuple[int, ...], pieces: list[tuple[int, Any]]) -> Any:
    """Pieces at their places in float32[..., 152], zeros between them."""
    if xp is np:
        whole = np.zeros((*lead, LENGTH), np.float32)
        for start, piece in pieces:
            whole[..., start : start + piece.shape[-1]] = piece
        return whole
    from envs_dsl.interface.lanes import written

    whole = xp.zeros((*lead, LENGTH), np.float32)
    for start, piece in pieces:
        if piece.shape[-1]:
            whole = written(whole, piece, start)
    return whole


def _read(plan: Plan, state: Any, value: slots.Value, seat: int) -> Any:
    """The values of one entry: [B, n], or [B, n, 2] of Pos and Vec2."""
    raw = state.fields[value.field.name]
    if value.column is not None:
        return raw[value.column.name]
    if isinstance(value.field.type, Scalar):
        return raw[:, None]
    if value.field.players:
        first = 1 if value.field is plan.slots.player else 0
        turn = [(seat + k) % plan.game.players for k in range(first, plan.game.players)]
        return raw[:, np.asarray(turn)]
    return raw


def _number(xp: Any, plan: Plan, state: Any, value: slots.Value, seat: int) -> Any:
    """Flags, counts or meters of an entry, scaled, 0 for rows not in use: float32[B, n·width]."""
    raw = _read(plan, state, value, seat).astype(xp.float32)
    offset, factor = plan.scales.get((value.field.name, value.declared.name), (0.0, 1.0))
    scaled = (raw - np.float32(offset)) * np.float32(factor)
    if isinstance(value.field.type, TableRef):
        alive = state.fields[value.field.name]["alive"]
        scaled = xp.where(alive if raw.ndim == 2 else alive[..., None], scaled, np.float32(0))
    return scaled.reshape(raw.shape[0], -1)


def _own_place(plan: Plan, exact: Any) -> Any:
    """A place on the board relative to its centre, in half boards: float32[..., 2]."""
    rows, cols = plan.game.size
    middle = np.asarray([(rows - 1) / 2, (cols - 1) / 2], np.float32)
    return (exact - middle) * np.asarray([2 / rows, 2 / cols], np.float32)


def _bearing(xp: Any, plan: Plan, state: Any, value: slots.Value, seat: int, me: Place) -> Any:
    """Bearings of an entry, float32[B, 2n]; of a table with ``present``, 0 for rows not in use."""
    raw, kind = _read(plan, state, value, seat), kind_of(value.declared)
    if kind == "Dir":
        away = xp.asarray(_DELTAS)[raw].astype(xp.float32)
    else:
        size = np.asarray(plan.game.size, np.float32)
        away = (place(xp, plan.game, kind, raw).exact - me.exact[:, None]) / size
    if isinstance(value.field.type, TableRef):
        alive = state.fields[value.field.name]["alive"][..., None]
        present = alive.astype(xp.float32)
        away = xp.concatenate([present, away], -1) * present
    return away.reshape(raw.shape[0], -1)
