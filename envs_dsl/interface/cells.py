"""The window around the player: the board as packed numbers, one gather, then who stands there."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.interface.plan import Plan, kind_of, place, quantise
from envs_dsl.language import slots
from envs_dsl.language.vocabulary import DIR_DELTAS

__all__ = ["pack_board", "standing", "unpack_window", "window"]

CHANNELS = 6


def pack_board(xp: Any, plan: Plan, state: Any) -> Any:
    """One number a cell, ``look | Bool << 14 | number << 15``: int32[B, H·W + 1], outside last."""
    batch = state.t.shape[0]
    rows, cols = plan.game.size
    packed = xp.zeros((batch, rows, cols), xp.int32)
    if plan.slots.looks is not None:
        packed = _palette(xp, plan, state.fields[plan.slots.looks.name])
    if plan.slots.flags is not None:
        packed = packed | (state.fields[plan.slots.flags.name].astype(xp.int32) << 14)
    if plan.slots.numbers is not None:
        field = plan.slots.numbers
        packed = packed | (quantise(xp, field, state.fields[field.name], 255) << 15)
    outside = xp.full((batch, 1), plan.outside, xp.int32)
    return xp.concatenate([packed.reshape(batch, rows * cols), outside], 1)


def window(xp: Any, plan: Plan, board: Any, cell: Any, view: int) -> Any:
    """The packed cells around ``cell``: int32[B, V·V]."""
    rows, cols = plan.game.size
    offsets = np.arange(view, dtype=np.int32) - np.int32(view // 2)
    r = cell[:, 0:1] + offsets
    c = cell[:, 1:2] + offsets
    inside_r = (r >= 0) & (r < rows)
    inside_c = (c >= 0) & (c < cols)
    inside = inside_r[:, :, None] & inside_c[:, None, :]
    index = xp.where(inside, r[:, :, None] * np.int32(cols) + c[:, None, :], np.int32(rows * cols))
    index = index.reshape(-1, view * view)
    if xp is np:
        return np.take_along_axis(board, index, 1)
    return xp.take_along_axis(board, index, 1, mode="promise_in_bounds")


def standing(xp: Any, plan: Plan, state: Any, seat: int, me: Any, middle: Any, view: int) -> Any:
    """Who stands where in the window around ``middle``, ``occupant | leading << 3``: int32[B, V·V].

    What stands lower in the order of occupants covers the others.
    """
    game, found = plan.game, plan.slots
    order: list[tuple[Any, Any, Any]] = []  # (cells [B, N, 2], present [B, N] or None, code)
    follows = game.camera == "player"
    if found.player is not None and not follows:
        order.append((me[:, None], None, np.int32(1)))
    others = [(seat + k) % game.players for k in range(1, game.players)]
    if found.player is not None and found.player.players and others:
        mates = state.fields[found.player.name]
        where = place(xp, game, kind_of(found.player), mates[:, np.asarray(others)])
        order.append((where.cell, None, np.int32(2)))
    for table in found.tables:
        columns = state.fields[table.field.name]
        where = place(xp, game, kind_of(table.place), columns[table.place.name])
        lead = _leading(xp, plan, table, columns)
        order.append((where.cell, columns["alive"], np.int32(table.occupant) | (lead << 3)))
    for thing in found.things:
        where = place(xp, game, kind_of(thing), state.fields[thing.name])
        cells = where.cell if where.cell.ndim == 3 else where.cell[:, None]
        order.append((cells, None, np.int32(slots.OCCUPANTS - 1)))
    painted = _paint(xp, order, middle, view)
    if found.player is None or not follows:
        return painted
    here = np.arange(view * view, dtype=np.int32) == view * view // 2
    return xp.where(here, np.int32(1), painted)


def _leading(xp: Any, plan: Plan, table: slots.TableSlots, columns: Any) -> Any:
    """The leading column of a table's rows scaled to 0..127: int32[B, N]."""
    if table.leading is None:
        return np.int32(0)
    value, kind = columns[table.leading.name], kind_of(table.leading)
    if kind == "Bool":
        return value.astype(xp.int32) * np.int32(127)
    if kind in ("Int", "Float"):
        return quantise(xp, table.leading, value, 127)
    if kind in ("Enum", "Dir"):
        last = len(DIR_DELTAS) - 1 if kind == "Dir" else plan.members[table.leading.type.enum] - 1  # type: ignore[union-attr]
        return value * np.int32(127) // np.int32(max(1, last))
    return xp.zeros(value.shape[:2], xp.int32)


def _paint(xp: Any, order: list[tuple[Any, Any, Any]], cell: Any, view: int) -> Any:
    """Paint things in the window, the first of ``order`` on top: int32[B, V·V]."""
    batch, area, half = cell.shape[0], view * view, view // 2
    # Each thing becomes one number that is larger the higher it lies; a cell keeps the largest.
    spots, codes = [], []
    for cells, present, code in order:
        relative = cells - cell[:, None] + np.int32(half)
        r, c = relative[..., 0], relative[..., 1]
        seen = (r >= 0) & (r < view) & (c >= 0) & (c < view)
        if present is not None:
            seen = seen & present
        spots.append(xp.where(seen, r * np.int32(view) + c, np.int32(area)))
        codes.append(xp.zeros(r.shape, xp.int32) + code)
    if not spots:
        return xp.zeros((batch, area), xp.int32)
    spot, code = xp.concatenate(spots, 1), xp.concatenate(codes, 1)
    if xp is np:
        plane = np.zeros((batch, area + 1), np.int32)  # the last cell takes what is out of sight
        copies = np.arange(batch)
        for i in reversed(range(spot.shape[1])):
            plane[copies, spot[:, i]] = code[:, i]
        return plane[:, :area]
    height = (np.int32(spot.shape[1]) - np.arange(spot.shape[1], dtype=np.int32)) << 10
    hits = spot[:, :, None] == np.arange(area, dtype=np.int32)
    top = xp.max(xp.where(hits, (code | height)[:, :, None], np.int32(0)), axis=1)
    return top & np.int32(1023)


def unpack_window(xp: Any, plan: Plan, packed: Any, things: Any, view: int) -> Any:
    """Packed window and occupants as the six channels: uint8[B, V, V, 6]."""
    first = packed & np.int32((1 << 14) - 1) | (things & np.int32(7)) << 14
    second = things >> 3 | (packed >> 14 & np.int32(1)) << 7 | (packed >> 15) << 8
    shifts = np.asarray([0, 4, 6, 14, 0, 8], np.int32)
    masks = np.asarray([15, 3, 255, 7, 255, 255], np.int32)
    shape = (-1, view, view, CHANNELS)
    if xp is np:
        cells = np.empty((*packed.shape, CHANNELS), np.uint8)
        for i in range(CHANNELS):
            cells[..., i] = (first if i < 4 else second) >> shifts[i] & masks[i]
        return cells.reshape(shape)
    # one fused loop over all channels: six stacked arrays take XLA several times as long
    word = xp.where(np.arange(CHANNELS) < 4, first[..., None], second[..., None])
    return (word >> shifts & masks).astype(xp.uint8).reshape(shape)


def _palette(xp: Any, plan: Plan, member: Any) -> Any:
    """The packed look of each cell's member: int32[B, H, W]."""
    if xp is np:
        return plan.palette[member]
    look = xp.full(member.shape, plan.palette[0], xp.int32)  # few members: cheaper than a gather
    for i in range(1, len(plan.palette)):
        look = xp.where(member == np.int32(i), plan.palette[i], look)
    return look
