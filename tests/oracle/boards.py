"""Builtins on whole boards: masks and grids as lists of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from envs_dsl.language.vocabulary import DIR_DELTAS

from .numbers import rounded, single, to_int, wrap
from .scalars import chebyshev, moved

__all__ = ["BOARDS", "Board"]

Pos = tuple[int, int]
Rows = list[list[Any]]
STRAIGHT = DIR_DELTAS[1:5]


class Board:
    """The cells of a board."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.rows, self.cols = self.size = size

    def cells(self) -> Iterator[Pos]:
        """All cells in reading order."""
        return ((row, col) for row in range(self.rows) for col in range(self.cols))

    def inside(self, pos: Pos) -> bool:
        return 0 <= pos[0] < self.rows and 0 <= pos[1] < self.cols

    def filled(self, value: Callable[[int, int], Any]) -> Rows:
        """A grid of a function of row and column."""
        return [[value(row, col) for col in range(self.cols)] for row in range(self.rows)]

    def true(self, mask: Rows, pos: Pos) -> bool:
        """The mask at a cell; false off the board."""
        return self.inside(pos) and mask[pos[0]][pos[1]]


def _border(b: Board) -> Rows:
    return b.filled(lambda r, c: r in (0, b.rows - 1) or c in (0, b.cols - 1))


def _rect(b: Board, p: Pos, q: Pos) -> Rows:
    (top, bottom), (left, right) = sorted((p[0], q[0])), sorted((p[1], q[1]))
    return b.filled(lambda r, c: top <= r <= bottom and left <= c <= right)


def _disk(b: Board, centre: Pos, radius: Any) -> Rows:
    def within(row: int, col: int) -> bool:
        square = (row - centre[0]) ** 2 + (col - centre[1]) ** 2
        if isinstance(radius, float):
            return radius >= 0 and single(float(square)) <= rounded(radius * radius)
        return radius >= 0 and square <= radius * radius

    return b.filled(within)


def _roll(b: Board, grid: Rows, direction: int) -> Rows:
    dr, dc = DIR_DELTAS[direction]
    return b.filled(lambda row, col: grid[(row - dr) % b.rows][(col - dc) % b.cols])


def _shift(b: Board, grid: Rows, direction: int, zero: Any) -> Rows:
    def source(row: int, col: int) -> Any:
        r, c = moved((row, col), direction, -1)
        return grid[r][c] if b.inside((r, c)) else zero

    return b.filled(source)


def _neighbors(deltas: tuple[tuple[int, int], ...]) -> Callable[[Board, Rows], Rows]:
    def count(b: Board, mask: Rows) -> Rows:
        return b.filled(lambda r, c: sum(b.true(mask, (r + dr, c + dc)) for dr, dc in deltas))

    return count


def _total(b: Board, grid: Rows) -> Any:
    values = [value for row in grid for value in row]
    if not isinstance(values[0], float):
        return wrap(sum(values))
    result = 0.0
    for value in values:
        result = rounded(result + value)
    return result


def _nearest(b: Board, mask: Rows, pos: Pos) -> Pos:
    found = [cell for cell in b.cells() if b.true(mask, cell)]

    def exactly(cell: Pos) -> int:
        return abs(cell[0] - pos[0]) + abs(cell[1] - pos[1])

    return min(found, key=exactly, default=(-1, -1))


def _argmax_cell(b: Board, grid: Rows) -> Pos:
    best, top = (0, 0), None
    for row, col in b.cells():
        value = -math.inf if grid[row][col] != grid[row][col] else grid[row][col]
        if top is None or value > top:
            best, top = (row, col), value
    return best


def _distances(b: Board, start: Rows, passable: Rows, k: int) -> dict[Pos, int]:
    """Moves to every cell that is reached in ``k``; a start counts even where one cannot pass."""
    moves = {cell: 0 for cell in b.cells() if b.true(start, cell)}
    edge = list(moves)
    for step in range(1, k + 1):
        following: list[Pos] = []
        for row, col in edge:
            for dr, dc in STRAIGHT:
                cell = (row + dr, col + dc)
                if cell not in moves and b.true(passable, cell):
                    moves[cell] = step
                    following.append(cell)
        edge = following
    return moves


def _flood(b: Board, start: Rows, passable: Rows, k: int) -> Rows:
    moves = _distances(b, start, passable, k)
    return b.filled(lambda r, c: (r, c) in moves)


def _distance(b: Board, start: Rows, passable: Rows, k: int) -> Rows:
    moves = _distances(b, start, passable, k)
    return b.filled(lambda r, c: moves.get((r, c), k + 1))


def _slide(b: Board, pos: Pos, direction: int, mask: Rows) -> Pos:
    for _ in range(max(b.size)):
        ahead = moved(pos, direction)
        if not b.true(mask, ahead):
            break
        pos = ahead
    return pos


def _sees(b: Board, p: Pos, q: Pos, mask: Rows) -> bool:
    gaps = (wrap(q[0] - p[0]), wrap(q[1] - p[1]))
    far = chebyshev(p, q)
    if far > max(b.size) + 1:
        return False

    def between(axis: int, i: int) -> int:
        return p[axis] + (2 * gaps[axis] * i + far) // (2 * far)

    return all(b.true(mask, (between(0, i), between(1, i))) for i in range(1, far))


def _cell(b: Board, v: tuple[float, float]) -> Pos:
    x, y = rounded(v[0] + b.cols / 2), rounded(v[1] + b.rows / 2)
    col, row = (to_int(float(math.floor(p)) if math.isfinite(p) else p) for p in (x, y))
    return (row, col)


BOARDS: dict[str, Callable[..., Any]] = {
    "ROW": lambda b: b.filled(lambda r, c: r),
    "COL": lambda b: b.filled(lambda r, c: c),
    "BORDER": _border,
    "EVERYWHERE": lambda b: b.filled(lambda r, c: True),
    "NOWHERE": lambda b: b.filled(lambda r, c: False),
    "cell": _cell,
    "inside": lambda b, p: b.inside(p),
    "at": lambda b, p: b.filled(lambda r, c: (r, c) == p),
    "rect": _rect,
    "disk": _disk,
    "shift": _shift,
    "roll": _roll,
    "neighbors4": _neighbors(STRAIGHT),
    "neighbors8": _neighbors(DIR_DELTAS[1:]),
    "count": lambda b, mask: sum(map(sum, mask)),
    "any": lambda b, mask: any(map(any, mask)),
    "all": lambda b, mask: all(map(all, mask)),
    "total": _total,
    "nearest": _nearest,
    "argmax_cell": _argmax_cell,
    "flood": _flood,
    "distance": _distance,
    "slide": _slide,
    "sees": _sees,
}
"""By name; each takes the board and its arguments (``shift`` also the zero that moves in)."""
