"""Builtins on whole boards: ``(kit, node, *values) -> value``; a grid is [b, H, W]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs_dsl.backends.arithmetic import deltas
from envs_dsl.backends.kit import Kit, clamp, expand, static_int
from envs_dsl.language.tree import Call, Const
from envs_dsl.language.vocabulary import DIR_DELTAS

__all__ = ["GRIDS", "cell_pos", "first_cell", "neighbors8", "read_board", "read_inside", "spread"]


def read_inside(kit: Kit, grid: Any, rows: Any, cols: Any) -> tuple[Any, Any]:
    """``grid`` at cells int32[b] or [b, K] (clamped to the board), and which were on the board."""
    inside = kit.board.inside(rows, cols)
    rows = clamp(kit.xp, rows, np.int32(0), np.int32(kit.board.height - 1))
    cols = clamp(kit.xp, cols, np.int32(0), np.int32(kit.board.width - 1))
    return kit.ops.read_cells(grid, rows, cols), inside


def read_board(kit: Kit, grid: Any, pos: Any, outside: Any) -> Any:
    """``grid`` at ``pos`` int32[b, 2]; ``outside`` off the board."""
    if isinstance(pos, np.ndarray) and len(pos) == 1:  # one cell known now: a slice
        row, col = (int(part) for part in pos[0])
        if 0 <= row < kit.board.height and 0 <= col < kit.board.width:
            return grid[:, row, col]
        return np.full((1,), outside, grid.dtype)
    got, inside = read_inside(kit, grid, pos[:, 0], pos[:, 1])
    return kit.xp.where(inside, got, np.asarray(outside, grid.dtype))


def first_cell(kit: Kit, hits: Any) -> tuple[Any, Any]:
    """The first true cell in reading order: its number int32[b] (0 if none), and whether any."""
    cells = kit.board.height * kit.board.width
    first = kit.xp.min(kit.xp.where(hits, kit.board.index, np.int32(cells)), axis=(1, 2))
    found = first < np.int32(cells)
    return kit.xp.where(found, first, np.int32(0)), found


def cell_pos(kit: Kit, number: Any) -> Any:
    """A cell's number int32[b] as a Pos int32[b, 2]."""
    width = np.int32(kit.board.width)
    return kit.xp.stack([number // width, number % width], axis=-1)


def _pos_or_none(kit: Kit, number: Any, found: Any) -> Any:
    return kit.xp.where(found[:, None], cell_pos(kit, number), np.int32(-1))


def _at(kit: Kit, node: Call, pos: Any) -> Any:
    inside = kit.board.inside(pos[:, 0], pos[:, 1])
    number = pos[:, 0] * np.int32(kit.board.width) + pos[:, 1]
    return kit.board.index == expand(kit.xp.where(inside, number, np.int32(-1)), 3)


def _rect(kit: Kit, node: Call, p: Any, q: Any) -> Any:
    low, high = kit.xp.minimum(p, q)[:, None, None], kit.xp.maximum(p, q)[:, None, None]
    rows, cols = kit.board.rows, kit.board.cols
    return (
        (rows >= low[..., 0])
        & (rows <= high[..., 0])
        & (cols >= low[..., 1])
        & (cols <= high[..., 1])
    )


def _disk(kit: Kit, node: Call, pos: Any, radius: Any) -> Any:
    rows = (kit.board.rows - pos[:, 0, None, None]).astype(np.float32)
    cols = (kit.board.cols - pos[:, 1, None, None]).astype(np.float32)
    radius = expand(radius.astype(np.float32), 3)
    return (rows * rows + cols * cols <= radius * radius) & (radius >= np.float32(0))


def _slid(kit: Kit, grid: Any, step: int, axis: int) -> Any:
    """The grid moved by ``step`` (-1 or 1) along an axis; zeros move in."""
    size = grid.shape[axis]
    kept = [slice(None)] * grid.ndim
    kept[axis] = slice(1, None) if step < 0 else slice(0, size - 1)
    edge = list(grid.shape)
    edge[axis] = 1
    parts = [kit.xp.zeros(edge, grid.dtype), grid[tuple(kept)]]
    return kit.xp.concatenate(parts[::-1] if step < 0 else parts, axis=axis)


def _shift(kit: Kit, node: Call, grid: Any, direction: Any) -> Any:
    known = static_int(direction)
    if known is not None:
        for axis, step in zip((1, 2), DIR_DELTAS[known]):
            grid = _slid(kit, grid, step, axis) if step else grid
        return grid
    moved = deltas(kit, direction)
    for axis in (1, 2):
        step = expand(moved[:, axis - 1], grid.ndim)
        forth, back = _slid(kit, grid, 1, axis), _slid(kit, grid, -1, axis)
        grid = kit.xp.where(step > 0, forth, kit.xp.where(step < 0, back, grid))
    return grid


def _roll(kit: Kit, node: Call, grid: Any, direction: Any) -> Any:
    known = static_int(direction)
    if known is not None:
        return kit.xp.roll(grid, DIR_DELTAS[known], (1, 2))
    moved = deltas(kit, direction)
    for axis in (1, 2):
        step = expand(moved[:, axis - 1], grid.ndim)
        forth, back = kit.xp.roll(grid, 1, axis), kit.xp.roll(grid, -1, axis)
        grid = kit.xp.where(step > 0, forth, kit.xp.where(step < 0, back, grid))
    return grid


def _neighbors4(kit: Kit, node: Call, mask: Any) -> Any:
    n = kit.xp.pad(mask.astype(np.int32), ((0, 0), (1, 1), (1, 1)))
    return n[:, :-2, 1:-1] + n[:, 2:, 1:-1] + n[:, 1:-1, :-2] + n[:, 1:-1, 2:]


def neighbors8(kit: Kit, mask: Any) -> Any:
    """How many of the 8 neighbours are true: int32[b, H, W]."""
    own = mask.astype(np.int32)
    n = kit.xp.pad(own, ((0, 0), (1, 1), (1, 1)))
    rows = n[:, :-2] + n[:, 1:-1] + n[:, 2:]
    return rows[:, :, :-2] + rows[:, :, 1:-1] + rows[:, :, 2:] - own


def spread(kit: Kit, mask: Any) -> Any:
    """The mask and its 4-neighbours."""
    n = kit.xp.pad(mask, ((0, 0), (1, 1), (1, 1)))
    return mask | n[:, :-2, 1:-1] | n[:, 2:, 1:-1] | n[:, 1:-1, :-2] | n[:, 1:-1, 2:]


def _steps(node: Call) -> int:
    last = node.args[-1]
    assert isinstance(last, Const)
    return int(last.value)


def _flood(kit: Kit, node: Call, start: Any, passable: Any, k: Any) -> Any:
    start, passable = kit.xp.broadcast_arrays(start, passable)

    def grow(carry: Any, i: Any) -> Any:
        (reached,) = carry
        return (reached | (spread(kit, reached) & passable),)

    return kit.ops.repeat(_steps(node), grow, (start,))[0]


def _distance(kit: Kit, node: Call, start: Any, passable: Any, k: Any) -> Any:
    steps = _steps(node)
    start, passable = kit.xp.broadcast_arrays(start, passable)
    far = kit.xp.where(start, np.int32(0), np.int32(steps + 1))

    def grow(carry: Any, i: Any) -> Any:
        (far,) = carry
        reached = far <= np.int32(steps)
        new = spread(kit, reached) & passable & ~reached
        return (kit.xp.where(new, np.int32(1) + i, far),)

    return kit.ops.repeat(steps, grow, (far,))[0]


def _along(kit: Kit) -> np.ndarray:
    """1 .. span as int32[1, span], span being the longer side of the board."""
    return np.arange(1, max(kit.board.height, kit.board.width) + 1, dtype=np.int32)[None]


def _slide(kit: Kit, node: Call, pos: Any, direction: Any, mask: Any) -> Any:
    step, far = deltas(kit, direction), _along(kit)
    rows = pos[:, 0, None] + step[:, 0, None] * far
    cols = pos[:, 1, None] + step[:, 1, None] * far
    got, inside = read_inside(kit, mask, rows, cols)
    span = np.int32(far.shape[1])
    free = kit.xp.min(kit.xp.where(got & inside, span, far - np.int32(1)), axis=1)
    return pos + step * free[:, None]


def _sees(kit: Kit, node: Call, p: Any, q: Any, mask: Any) -> Any:
    # The cells nearest to the straight line, rounded alike from both ends.
    gap, far = q - p, _along(kit)
    length = kit.xp.max(kit.xp.abs(gap), axis=-1)
    steps = kit.xp.maximum(length, np.int32(1))[:, None]
    cells = [
        p[:, axis, None] + (np.int32(2) * gap[:, axis, None] * far + steps) // (np.int32(2) * steps)
        for axis in (0, 1)
    ]
    got, inside = read_inside(kit, mask, *cells)
    clear = kit.xp.all((got & inside) | (far >= length[:, None]), axis=1)
    # Further apart than that, a cell between lies off the board.
    return clear & (length <= np.int32(far.shape[1] + 1))


def _nearest(kit: Kit, node: Call, mask: Any, pos: Any) -> Any:
    # Which cell is nearest does not change when a position off the board is moved to its rim.
    row = kit.xp.clip(pos[:, 0], np.int32(0), np.int32(kit.board.height - 1))[:, None, None]
    col = kit.xp.clip(pos[:, 1], np.int32(0), np.int32(kit.board.width - 1))[:, None, None]
    gap = kit.xp.abs(kit.board.rows - row) + kit.xp.abs(kit.board.cols - col)
    cells = np.int32(kit.board.height * kit.board.width)
    none = np.int32(2**30)
    key = kit.xp.min(kit.xp.where(mask, gap * cells + kit.board.index, none), axis=(1, 2))
    return _pos_or_none(kit, key % cells, key < none)


def _argmax_cell(kit: Kit, node: Call, grid: Any) -> Any:
    if grid.dtype == np.float32:
        grid = kit.xp.where(kit.xp.isnan(grid), np.float32(-np.inf), grid)
    top = kit.xp.max(grid, axis=(1, 2))
    return cell_pos(kit, first_cell(kit, grid == expand(top, 3))[0])


def _total(kit: Kit, node: Call, grid: Any) -> Any:
    return kit.xp.sum(grid, axis=(1, 2), dtype=grid.dtype)


GRIDS: dict[str, Callable[..., Any]] = {
    "ROW": lambda kit, node: kit.board.rows,
    "COL": lambda kit, node: kit.board.cols,
    "BORDER": lambda kit, node: kit.board.border,
    "EVERYWHERE": lambda kit, node: kit.board.everywhere,
    "NOWHERE": lambda kit, node: ~kit.board.everywhere,
    "at": _at,
    "rect": _rect,
    "disk": _disk,
    "shift": _shift,
    "roll": _roll,
    "neighbors4": _neighbors4,
    "neighbors8": lambda kit, node, mask: neighbors8(kit, mask),
    "count": lambda kit, node, mask: kit.xp.sum(mask, axis=(1, 2), dtype=np.int32),
    "any": lambda kit, node, mask: kit.xp.any(mask, axis=(1, 2)),
    "all": lambda kit, node, mask: kit.xp.all(mask, axis=(1, 2)),
    "total": _total,
    "nearest": _nearest,
    "argmax_cell": _argmax_cell,
    "flood": _flood,
    "distance": _distance,
    "slide": _slide,
    "sees": _sees,
}
