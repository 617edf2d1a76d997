"""The window around the player: the board as packed numbers, a slice of it, and who stands there.

A packed cell holds what can vary in this program (``plan.CellCode``) and is what a roll-out buffer
keeps; ``unpack`` makes the six channels of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.interface.plan import Plan, kind_of, place, quantise
from envs_dsl.language import slots
from envs_dsl.language.vocabulary import DIR_DELTAS

__all__ = ["CHANNELS", "pack_board", "packed_window", "unpack"]

CHANNELS = 6
_ME, _MATE = 1, 2


def pack_board(xp: Any, plan: Plan, state: Any) -> Any:
    """The grids, one packed number a cell [B, H, W]; None where the program shows no grid."""
    code, parts = plan.code, []
    if plan.slots.looks is not None and code.look:
        parts.append(state.fields[plan.slots.looks.name].astype(code.dtype))
    if plan.slots.flags is not None:
        flags = state.fields[plan.slots.flags.name].astype(code.dtype)
        parts.append(flags << code.dtype(code.flag_at))
    if plan.slots.numbers is not None:
        field = plan.slots.numbers
        numbers = quantise(xp, field, state.fields[field.name], 255).astype(code.dtype)
        parts.append(numbers << code.dtype(code.number_at))
    return _union(parts)


def packed_window(
    xp: Any, plan: Plan, state: Any, board: Any, seat: int, me: Any, view: int
) -> Any:
    """What one seat sees around it, packed: [B, V, V]; [B, 0, 0] where that never changes.

    Args:
      board: of ``pack_board``. me: int32[B, 2], the seat's cell.
    """
    code, batch = plan.code, me.shape[0]
    if not code.bits:
        return xp.zeros((batch, 0, 0), code.dtype)
    rows, cols = plan.game.size
    middle = me if plan.moves else np.asarray([[rows // 2, cols // 2]], np.int32)
    parts = []
    if board is not None:
        parts.append(_window(xp, plan, board, middle, view))
    elif code.look:
        parts.append(_off_board(plan, middle, view).astype(code.dtype))
    if code.occupant:
        parts += _standing(xp, plan, state, seat, me, middle, view)
    return xp.broadcast_to(_union(parts), (batch, view, view))


def unpack(xp: Any, plan: Plan, packed: Any, view: int) -> Any:
    """Packed cells [..., V, V] as the six channels: uint8[..., V, V, 6].

    Args:
      packed: of ``packed_window``, with any leading axes.
    """
    code = plan.code
    shape = (*packed.shape[:-2], view, view, CHANNELS)
    # One long axis of cells: XLA loops over a short one (V, with 6 below it) five times as long.
    if code.bits:
        packed = packed.reshape(*packed.shape[:-2], view * view)
    else:
        packed = xp.zeros((*packed.shape[:-2], view * view), code.dtype)
    if code.look or plan.slots.looks is not None:
        member = packed & code.dtype((1 << code.look) - 1)
    else:
        middle = np.asarray([plan.game.size], np.int32) // 2
        member = _off_board(plan, middle, view).ravel().astype(np.int32)
    # nobody stands above oneself
    here = (np.arange(view * view) == view * view // 2) & plan.moves
    occupant = _part(packed, code.occupant_at, code.occupant)
    lead = _part(packed, code.lead_at, code.lead)
    flag = _part(packed, code.flag_at, code.flag)
    number = _part(packed, code.number_at, code.number)
    if xp is np:
        cells = np.empty((*packed.shape, CHANNELS), np.uint8)
        for i, table in enumerate(zip(*plan.looks, strict=True)):
            cells[..., i] = np.asarray(table, np.uint8)[member]
        cells[..., 3] = np.where(here, np.uint8(_ME), occupant)
        cells[..., 4] = np.where(here, 0, lead) | flag << 7
        cells[..., 5] = number
        return cells.reshape(shape)
    from envs_dsl.interface.lanes import bytes_of

    looks = [look.color | look.variant << 8 | look.tags << 16 for look in plan.looks]
    look = xp.full(member.shape, looks[0], np.int32)  # few members: cheaper than a gather
    for i in range(1, len(looks)):
        look = xp.where(member == np.asarray(i, member.dtype), np.int32(looks[i]), look)
    # where nothing in the window can change, neither word has the leading axes yet
    first = xp.broadcast_to(look | xp.where(here, np.int32(_ME), occupant) << 24, packed.shape)
    second = xp.broadcast_to(
        xp.where(here, np.int32(0), lead) | flag << 7 | number << 8, packed.shape
    )
    return bytes_of(first, second)[..., :CHANNELS].reshape(shape)


def _part(packed: Any, at: int, bits: int) -> Any:
    """Some bits of packed cells as int32; 0 where there are none."""
    if not bits:
        return np.int32(0)
    return packed.astype(np.int32) >> np.int32(at) & np.int32((1 << bits) - 1)


def _union(parts: list[Any]) -> Any:
    """All parts in one number; None without any."""
    joined = None
    for part in parts:
        joined = part if joined is None else joined | part
    return joined


def _off_board(plan: Plan, middle: Any, view: int) -> Any:
    """Which cells of the window around ``middle`` int32[b, 2] lie off the board: bool[b, V, V]."""
    offsets = np.arange(view, dtype=np.int32) - np.int32(view // 2)
    r, c = (middle[:, axis, None] + offsets for axis in (0, 1))
    rows, cols = plan.game.size
    outside_r, outside_c = (r < 0) | (r >= rows), (c < 0) | (c >= cols)
    return outside_r[:, :, None] | outside_c[:, None, :]


def _window(xp: Any, plan: Plan, board: Any, middle: Any, view: int) -> Any:
    """The packed cells around ``middle`` int32[b, 2]: [B, V, V]."""
    rows, cols = plan.game.size
    outside, half = plan.code.dtype(plan.outside), view // 2
    if not plan.moves:  # the same place for all, known now
        low = [half - side // 2 for side in (rows, cols)]  # where the board begins in the window
        high = [view - side - start for side, start in zip((rows, cols), low)]
        pad = [(max(0, a), max(0, b)) for a, b in zip(low, high)]
        wide = xp.pad(board, ((0, 0), *pad), constant_values=outside)
        r, c = (max(0, -a) for a in low)
        return wide[:, r : r + view, c : c + view]
    # A player off the board sees at most that there is no board: its place is held where it does.
    wide = xp.pad(board, ((0, 0), (view, view), (view, view)), constant_values=outside)
    limit = np.asarray([rows + half, cols + half], np.int32)
    corner = xp.clip(middle, np.int32(-half - 1), limit) + np.int32(view - half)
    if xp is np:
        windows = np.lib.stride_tricks.sliding_window_view(wide, (view, view), (1, 2))
        return windows[np.arange(len(wide)), corner[:, 0], corner[:, 1]]
    from envs_dsl.interface.lanes import squares

    return squares(wide, corner, view)


def _standing(
    xp: Any, plan: Plan, state: Any, seat: int, me: Any, middle: Any, view: int
) -> list[Any]:
    """Who stands where in the window around ``middle``, as parts of packed cells [B, V, V].

    What stands lower in the order of occupants covers the others.
    """
    game, found, code = plan.game, plan.slots, plan.code
    order: list[tuple[Any, Any, int, Any]] = []  # (cells [B, N, 2], present or None, who, leading)
    if found.player is not None and not plan.moves:
        order.append((me[:, None], None, _ME, np.int32(0)))
    others = [(seat + k) % game.players for k in range(1, game.players)]
    if found.player is not None and found.player.players and others:
        mates = state.fields[found.player.name]
        where = place(xp, game, kind_of(found.player), mates[:, np.asarray(others)])
        order.append((where.cell, None, _MATE, np.int32(0)))
    for table in found.tables:
        columns = state.fields[table.field.name]
        where = place(xp, game, kind_of(table.place), columns[table.place.name])
        lead = _leading(xp, plan, table, columns)
        order.append((where.cell, columns["alive"], table.occupant, lead))
    for thing in found.things:
        where = place(xp, game, kind_of(thing), state.fields[thing.name])
        cells = where.cell if where.cell.ndim == 3 else where.cell[:, None]
        order.append((cells, None, slots.OCCUPANTS - 1, np.int32(0)))
    who, lead = _paint(xp, order, middle, view, bool(code.lead))
    if plan.moves:  # nobody is seen under oneself
        here = np.arange(view * view, dtype=np.int32) == view * view // 2
        who, lead = (xp.where(here, np.zeros((), np.uint16), part) for part in (who, lead))
    parts = [who.astype(code.dtype) << code.dtype(code.occupant_at)]
    if code.lead:
        parts.append(lead.astype(code.dtype) << code.dtype(code.lead_at))
    return [part.reshape(-1, view, view) for part in parts]


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


def _paint(
    xp: Any, order: list[tuple[Any, Any, int, Any]], cell: Any, view: int, leads: bool
) -> tuple[Any, Any]:
    """Paint things in the window, the first of ``order`` on top.

    Returns:
      Occupants and leading numbers, uint16[B, V·V] (the numbers are 0 without ``leads``).
    """
    area, half = view * view, view // 2
    spots, codes = [], []
    for cells, present, who, lead in order:
        relative = cells - cell[:, None] + np.int32(half)
        r, c = relative[..., 0], relative[..., 1]
        seen = (r >= 0) & (r < view) & (c >= 0) & (c < view)
        if present is not None:
            seen = seen & present
        spots.append(xp.where(seen, r * np.int32(view) + c, np.int32(area)))
        codes.append(xp.broadcast_to(np.int32(who) | lead << 3, r.shape))
    spot, code = xp.concatenate(spots, 1), xp.concatenate(codes, 1)
    count = spot.shape[1]
    if xp is np:
        plane = np.zeros((len(spot), area + 1), np.uint16)  # the last cell takes what is unseen
        copies = np.arange(len(spot))
        for i in reversed(range(count)):
            plane[copies, spot[:, i]] = code[:, i]
        plane = plane[:, :area]
        return plane & np.uint16(7), plane >> np.uint16(3)
    # Each thing becomes one number that is larger the higher it lies; a cell keeps the largest.
    if leads:
        height = (np.int32(count) - np.arange(count, dtype=np.int32)) << 10
        number = code | height
    else:
        number = np.int32(slots.OCCUPANTS) - code
    hits = spot.astype(np.uint16)[:, :, None] == np.arange(area, dtype=np.uint16)
    top = xp.max(xp.where(hits, number.astype(np.uint16)[:, :, None], np.uint16(0)), axis=1)
    if leads:
        return top & np.uint16(7), top >> np.uint16(3) & np.uint16(127)
    none = top == np.uint16(0)
    return xp.where(none, np.uint16(0), np.uint16(slots.OCCUPANTS) - top), np.uint16(0)
