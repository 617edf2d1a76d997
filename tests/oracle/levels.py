"""Level generators: mazes, rooms, caves and corridors (``envs_dsl.backends.generators``)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from .bits import share
from .boards import Board
from .numbers import wrap

__all__ = ["LEVELS"]

Pos = tuple[int, int]
Bits = Callable[[int, int], int]  # of a lane and a cell


def _maze(b: Board, bits: Bits) -> Any:
    """The spanning tree of the cells at odd rows and columns with the largest keys (Kruskal)."""
    rows, cols = (b.rows - 1) // 2, (b.cols - 1) // 2
    nodes = [(2 * r + 1, 2 * c + 1) for r in range(rows) for c in range(cols)]
    group = {node: node for node in nodes}

    def root(node: Pos) -> Pos:
        while group[node] != node:
            node = group[node]
        return node

    passages = [
        ((r + dr, c + dc), (r, c), (r + 2 * dr, c + 2 * dc))
        for r, c in nodes
        for dr, dc in ((0, 1), (1, 0))
        if (r + 2 * dr, c + 2 * dc) in group
    ]

    def order(passage: tuple[Pos, Pos, Pos]) -> tuple[int, Pos]:
        (row, col), _, _ = passage
        return -(bits(0, row * b.cols + col) >> 1), (row, col)

    open_ = set(nodes)
    for cell, one, two in sorted(passages, key=order):
        if root(one) != root(two):
            group[root(one)] = root(two)
            open_.add(cell)
    return b.filled(lambda r, c: (r, c) in open_)


def _rooms(b: Board, bits: Bits, count: int) -> Any:
    """Rectangles, and an L between the middles of each and the next."""
    open_: set[Pos] = set()
    before: Pos | None = None
    for k in range(count):
        sides, firsts = [], []
        for axis, side in enumerate((b.rows, b.cols)):
            low, high = min(2, side - 2), min(max(2, side // 3), side - 2)
            sides.append(low + bits(axis, k) % (high - low + 1))
            firsts.append(1 + bits(2 + axis, k) % (side - 2 - sides[axis] + 1))
        rows = range(firsts[0], firsts[0] + sides[0])
        cols = range(firsts[1], firsts[1] + sides[1])
        open_ |= {(r, c) for r in rows for c in cols}
        middle = (firsts[0] + sides[0] // 2, firsts[1] + sides[1] // 2)
        if before is not None:
            along_row = bits(4, k) % 2 == 0
            corner = (before[0], middle[1]) if along_row else (middle[0], before[1])
            for one in (before, middle):
                open_ |= set(_straight(one, corner))
        before = middle
    return b.filled(lambda r, c: (r, c) in open_)


def _straight(p: Pos, q: Pos) -> list[Pos]:
    (top, bottom), (left, right) = sorted((p[0], q[0])), sorted((p[1], q[1]))
    return [(r, c) for r in range(top, bottom + 1) for c in range(left, right + 1)]


def _cave(b: Board, bits: Bits, chance: float) -> Any:
    """Noise, three times smoothed; kept is what hangs together with the centre."""
    inner = [(r, c) for r in range(1, b.rows - 1) for c in range(1, b.cols - 1)]
    centre = (b.rows // 2, b.cols // 2)
    open_ = {centre}
    for r, c in inner:
        if share(bits(0, r * b.cols + c)) < chance:
            open_.add((r, c))
    for _ in range(3):
        around = {
            (r, c): sum((r + i, c + j) in open_ for i in (-1, 0, 1) for j in (-1, 0, 1))
            for r, c in inner
        }
        open_ = {cell for cell in inner if around[cell] >= 5} | {centre}
    kept = {centre}
    for _ in range(max(b.size)):
        kept |= {
            cell
            for r, c in kept
            for cell in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
            if cell in open_
        }
    return b.filled(lambda r, c: (r, c) in kept)


def _carve(b: Board, bits: Bits, p: Pos, q: Pos) -> Any:
    """Along one axis to a bend, along the other, and on."""
    first = bits(0, 0) % 2  # 0: rows change first
    gap = wrap(q[first] - p[first])
    bend = wrap(p[first] + (1 if gap > 0 else -1) * (bits(1, 0) % (abs(gap) + 1)))
    corners = [p, (bend, p[1]), (bend, q[1]), q]
    if first == 1:
        corners = [p, (p[0], bend), (q[0], bend), q]

    def on_it(row: int, col: int) -> bool:
        return any(
            min(one[0], two[0]) <= row <= max(one[0], two[0])
            and min(one[1], two[1]) <= col <= max(one[1], two[1])
            for one, two in itertools.pairwise(corners)
        )

    return b.filled(on_it)


LEVELS: dict[str, Callable[..., Any]] = {
    "maze": _maze,
    "rooms": _rooms,
    "cave": _cave,
    "carve": _carve,
}
"""By name; each takes the board, the bits of the draw and its arguments."""
