"""Level generators: boards whose open cells are all joined, from random keys and in fixed time.

Each gives bool[B, H, W], true on open cells. Interior cells are all but the outermost ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from envs_dsl.backends.grids import neighbors8, spread
from envs_dsl.backends.kit import Board, Mask, expand
from envs_dsl.backends.machine import Machine
from envs_dsl.backends.random import draw_bits, uniform
from envs_dsl.language.tree import Call, Const

__all__ = ["GENERATORS"]

SMOOTHINGS = 3


class _Lattice(NamedTuple):
    """The cells at odd rows and columns, and the passages between neighbours among them.

    Attributes:
      nodes: how many such cells there are.
      ends: int32[2, E], the two cells (by number) that a passage joins. A passage is a board cell;
        they are in reading order.
      passages: int32[E], numbers of those board cells.
      source: int32[H·W], where a board cell takes its value from: a passage e, E for a cell that is
        always open, E + 1 for one that never is.
    """

    nodes: int
    ends: np.ndarray
    passages: np.ndarray
    source: np.ndarray


@functools.lru_cache(maxsize=64)
def _lattice(height: int, width: int) -> _Lattice:
    rows, cols = (height - 1) // 2, (width - 1) // 2
    found: list[tuple[int, int, int]] = []
    for r in range(rows):
        for c in range(cols):
            node, cell = r * cols + c, (2 * r + 1) * width + 2 * c + 1
            if c + 1 < cols:
                found.append((cell + 1, node, node + 1))
            if r + 1 < rows:
                found.append((cell + width, node, node + cols))
    edges = np.asarray(sorted(found), np.int32).reshape(-1, 3)
    source = np.full(height * width, len(edges) + 1, np.int32)
    source.reshape(height, width)[1 : 2 * rows : 2, 1 : 2 * cols : 2] = len(edges)
    source[edges[:, 0]] = np.arange(len(edges))
    return _Lattice(rows * cols, edges[:, 1:].T.copy(), edges[:, 0].copy(), source)


def _maze(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    """The maximum spanning tree of the lattice under random keys, by Prim's algorithm.

    A passage's key is the upper 31 bits of the draw at its board cell; equal keys go in reading
    order. Which tree that is does not depend on the algorithm.
    """
    xp, board = m.xp, m.board
    lattice = _lattice(board.height, board.width)
    passages = len(lattice.passages)
    batch = m.inputs.block.shape[0]
    if passages:
        cells = lattice.passages.astype(np.uint32)[None, None]
        bits = draw_bits(m.inputs.block, node.site, m.index, 0, cells)[:, 0]
        keys = (bits >> np.uint32(1)).astype(np.int32)
        first, second = lattice.ends
        numbers = np.arange(lattice.nodes, dtype=np.int32)[None]
        edges = np.arange(passages, dtype=np.int32)[None]

        def grow(carry: Any, i: Any) -> Any:
            reached, opened = carry
            rim = reached[:, first] != reached[:, second]
            best = xp.argmax(xp.where(rim, keys, np.int32(-1)), axis=1).astype(np.int32)
            a, b = xp.asarray(first)[best], xp.asarray(second)[best]
            reached = reached | (numbers == a[:, None]) | (numbers == b[:, None])
            return reached, opened | (edges == best[:, None])

        start = xp.broadcast_to(numbers == 0, (batch, lattice.nodes))
        carry = (start, xp.zeros((batch, passages), np.bool_))
        _, opened = m.ops.scan(lattice.nodes - 1, grow, carry)
    else:
        opened = xp.zeros((batch, 0), np.bool_)
    always = xp.broadcast_to(np.array([[True, False]]), (batch, 2))
    values_by_source = xp.concatenate([opened, always], axis=1)
    return values_by_source[:, lattice.source].reshape(batch, board.height, board.width)


def _rooms(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    """Rectangles, and an L between the middles of each and the next.

    Draws of room k are those at cell k: lane 0 its height, lane 1 its width (2 to a third of the
    board, within the interior), lanes 2 and 3 its first row and column, lane 4 whether the corridor
    to it leaves along the row (even) or the column. A number of n choices is ``bits mod n``.
    """
    xp, board = m.xp, m.board
    last = node.args[-1]
    assert isinstance(last, Const)
    count = int(last.value)
    numbers = np.arange(count, dtype=np.uint32)[None, None]

    def below(lane: int, choices: Any) -> Any:
        bits = draw_bits(m.inputs.block, node.site, m.index, lane, numbers)[:, 0]
        return m.ops.unsigned_mod(bits, xp.asarray(choices, np.uint32)).astype(np.int32)

    spans = []
    for axis, side in enumerate((board.height, board.width)):
        least = min(2, side - 2)
        most = min(max(least, side // 3), side - 2)
        size = np.int32(least) + below(axis, np.full((1, count), most - least + 1))
        low = np.int32(1) + below(2 + axis, np.int32(side - 1) - size)
        spans.append((low, low + size - np.int32(1), low + size // np.int32(2)))
    (top, bottom, row), (left, right, col) = spans
    rooms = _box(board, top, bottom, left, right)
    if count == 1:
        return xp.any(rooms, axis=1)
    along_row = below(4, np.full((1, count), 2))[:, 1:] == 0
    r0, c0, r1, c1 = row[:, :-1], col[:, :-1], row[:, 1:], col[:, 1:]
    bend_row, bend_col = xp.where(along_row, r0, r1), xp.where(along_row, c1, c0)
    legs = [_between(xp, board, r0, c0, bend_row, bend_col)]
    legs.append(_between(xp, board, bend_row, bend_col, r1, c1))
    return xp.any(xp.concatenate([rooms, *legs], axis=1), axis=1)


def _cave(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    """Noise, smoothed, of which what hangs together with the board's centre is kept.

    An interior cell starts open with probability p. Three times, an interior cell becomes open iff
    at least five of the nine cells around it (itself among them) are. The cell (H // 2, W // 2) is
    open throughout. Kept is what it reaches in as many moves as the board's longer side has cells.
    """
    xp, board = m.xp, m.board
    centre = (board.rows == board.height // 2) & (board.cols == board.width // 2)
    bits = draw_bits(m.inputs.block, node.site, m.index, 0, board.cells)
    inner = ~board.border
    grown = ((uniform(bits) < expand(values[0], 3)) & inner) | centre
    for _ in range(SMOOTHINGS):
        near = neighbors8(m.kit, grown) + grown.astype(np.int32)
        grown = ((near >= np.int32(5)) & inner) | centre

    def reach(carry: Any, i: Any) -> Any:
        (reached,) = carry
        return (reached | (spread(m.kit, reached) & grown),)

    start = xp.broadcast_to(centre, grown.shape)
    return m.ops.repeat(max(board.height, board.width), reach, (start,))[0]


def _carve(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    """A Z from p to q: along one axis to a bend, along the other, and on.

    Lane 0 says which axis comes first (even: rows change first), lane 1 how far from p the bend is:
    ``bits mod (gap + 1)`` cells towards q. Cells off the board are dropped.
    """
    xp, board = m.xp, m.board
    p, q = values
    gap = q - p

    def bits(lane: int) -> Any:
        return draw_bits(m.inputs.block, node.site, m.index, lane)

    far = m.ops.unsigned_mod(bits(1)[:, None], (xp.abs(gap) + np.int32(1)).astype(np.uint32))
    bend = p + xp.sign(gap) * far.astype(np.int32)
    down = ((bits(0) & np.uint32(1)) == 0)[:, None]

    def pick(down_first: Any, across_first: Any) -> Any:
        return xp.where(down, down_first[:, None], across_first[:, None])

    r0, c0, r1, c1 = (part[:, None] for part in (p[:, 0], p[:, 1], q[:, 0], q[:, 1]))
    first = pick(bend[:, 0], p[:, 0]), pick(p[:, 1], bend[:, 1])
    second = pick(bend[:, 0], q[:, 0]), pick(q[:, 1], bend[:, 1])
    legs = [_between(xp, board, r0, c0, *first), _between(xp, board, *first, *second)]
    legs.append(_between(xp, board, *second, r1, c1))
    return xp.any(xp.concatenate(xp.broadcast_arrays(*legs), axis=1), axis=1)


def _between(xp: Any, board: Board, r0: Any, c0: Any, r1: Any, c1: Any) -> Any:
    """Cells of the rectangle of two corners, inclusive: int32[b, K] each → bool[b, K, H, W]."""
    return _box(
        board, xp.minimum(r0, r1), xp.maximum(r0, r1), xp.minimum(c0, c1), xp.maximum(c0, c1)
    )


def _box(board: Board, top: Any, bottom: Any, left: Any, right: Any) -> Any:
    rows, cols = board.rows[:, None], board.cols[:, None]
    top, bottom, left, right = (v[:, :, None, None] for v in (top, bottom, left, right))
    return (rows >= top) & (rows <= bottom) & (cols >= left) & (cols <= right)


GENERATORS: dict[str, Callable[..., Any]] = {
    "maze": _maze,
    "rooms": _rooms,
    "cave": _cave,
    "carve": _carve,
}
