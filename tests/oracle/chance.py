"""The builtins that draw, each from bits of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .bits import share
from .boards import Board
from .levels import LEVELS
from .numbers import approximate, rounded, wrap

__all__ = ["drawn"]

Pos = tuple[int, int]


def drawn(board: Board, op: str, args: list[Any], bits: Callable[..., int]) -> Any:
    """The value of a draw; None where ``random_cell`` finds no cell.

    Args:
      bits: 32 random bits of this draw, of a lane and a cell (0 and 0 where nothing is said).
    """

    def each(row: int, col: int) -> int:
        return bits(0, row * board.cols + col)

    match op:
        case "rand":
            return share(bits())
        case "uniform":
            low, high = args
            return rounded(low + rounded(rounded(high - low) * share(bits())))
        case "normal":
            radius = approximate(math.sqrt(-2 * math.log(1 - share(bits(0)))))
            value = rounded(radius * approximate(math.cos(2 * math.pi * share(bits(1)))))
            return rounded(args[0] + rounded(args[1] * value)) if args else value
        case "randint":
            return _whole(bits(), *args)
        case "randint_grid":
            return board.filled(lambda r, c: _whole(each(r, c), *args))
        case "chance":
            return share(bits()) < args[0]
        case "pick":
            return args[bits() % len(args)]
        case "pick_grid":
            return board.filled(lambda r, c: args[each(r, c) % len(args)])
        case "maze" | "rooms" | "cave" | "carve":
            return LEVELS[op](board, bits, *args)
        case "random_dir":
            return 1 + bits() % 4
        case "random_cell":
            return _random_cell(board, args[0], each)
        case "chance_grid":
            rows = args[0]

            def hit(row: int, col: int) -> bool:
                chance = rows[row][col] if isinstance(rows, list) else rows
                return share(each(row, col)) < chance

            return board.filled(hit)
    raise TypeError(op)


def _whole(bits: int, low: int, high: int) -> int:
    return low if high < low else wrap(low + bits % (high - low + 1))


def _random_cell(board: Board, mask: Any, each: Callable[[int, int], int]) -> Pos | None:
    found = [cell for cell in board.cells() if mask[cell[0]][cell[1]]]
    return max(found, key=lambda p: each(*p) >> 1, default=None)
