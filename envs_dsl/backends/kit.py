"""What the walker needs of an array library, and how masks are combined.

``b`` below is the batch size B, or 1 where a value is shared by all copies.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import numpy as np

__all__ = [
    "DEAD",
    "Board",
    "Kit",
    "Mask",
    "Ops",
    "board_of",
    "both",
    "clamp",
    "either",
    "expand",
    "is_known",
    "select",
    "static_int",
]

Mask = Any
"""Which copies a statement acts on: None (all), bool[b], or DEAD (none, known at once)."""


class _Dead:
    def __repr__(self) -> str:
        return "DEAD"


DEAD = _Dead()


class Ops(Protocol):
    """The primitives in which NumPy and JAX differ."""

    xp: Any
    traced: bool
    """Whether values may be traced: then loops are scans, not written out."""

    def quiet(self) -> AbstractContextManager[Any]:
        """A context in which overflow and the like give no warnings."""
        ...

    def split(self, mask: Mask, test: Any) -> tuple[Mask, Mask]:
        """``mask`` (not DEAD) parted by ``test`` bool[b]; a part known to be empty is DEAD."""
        ...

    def nobody(self, mask: Mask) -> bool:
        """Whether ``mask`` is known to be empty."""
        ...

    def hold(self, values: Any) -> Any:
        """``values`` (a tree of arrays), as something to compute once for all that read it."""
        ...

    def scan(self, count: int, body: Callable[[Any, Any], Any], carry: Any) -> Any:
        """``carry = body(carry, i)`` for i in 0..count-1, with ``i`` an int32 scalar."""
        ...

    def repeat(self, count: int, body: Callable[[Any, Any], Any], carry: Any) -> Any:
        """As ``scan``, but it may stop at a carry that ``body`` does not change."""
        ...

    def read_cells(self, grid: Any, rows: Any, cols: Any) -> Any:
        """``grid`` [b, H, W] at cells on the board, rows and cols int32[b] or [b, K]."""
        ...

    def write_cell(self, grid: Any, rows: Any, cols: Any, hit: Any, value: Any) -> Any:
        """``grid`` [B, H, W] with ``value`` [b] stored at a cell of the copies in ``hit``."""
        ...

    def mark_cells(self, numbers: Any, cells: int) -> Any:
        """bool[B, cells], true at ``numbers`` int32[B, N]; -1 marks nothing."""
        ...

    def read_slot(self, array: Any, index: Any) -> Any:
        """``array`` [b, N, ...] at slots int32[b]; zero where out of range."""
        ...

    def take_slot(self, array: Any, index: Any) -> Any:
        """``array[:, index]``: one slot (an int or a traced scalar) of all copies."""
        ...

    def write_slot(self, array: Any, index: Any, mask: Mask, value: Any) -> Any:
        """``array`` [B, N, ...] with ``value`` [b, ...] stored at slots of the copies in ``mask``.

        ``index`` is an int, a traced scalar, or int32[b]; slots out of range are not in ``mask``.
        """
        ...

    def fmod(self, a: Any, b: Any) -> Any:
        """float32 remainder with the dividend's sign."""
        ...

    def unsigned_mod(self, a: Any, b: Any) -> Any:
        """uint32 remainder."""
        ...


class Board:
    """Constants of a board: its cells' rows, columns and numbers in reading order [1, H, W]."""

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width
        self.index = np.arange(height * width, dtype=np.int32).reshape(1, height, width)
        self.rows = self.index // np.int32(width)
        self.cols = self.index % np.int32(width)
        self.cells = self.index.astype(np.uint32)
        self.everywhere = np.ones((1, height, width), np.bool_)
        self.border = (
            (self.rows == 0)
            | (self.rows == height - 1)
            | (self.cols == 0)
            | (self.cols == width - 1)
        )

    def inside(self, rows: Any, cols: Any) -> Any:
        """Which cells lie on the board: bool of the shape of ``rows`` and ``cols`` (int32)."""
        if isinstance(rows, np.ndarray) and isinstance(cols, np.ndarray):
            # a negative number is a large one without its sign
            within = rows.view(np.uint32) < np.uint32(self.height)
            return within & (cols.view(np.uint32) < np.uint32(self.width))
        zero = np.int32(0)
        return (
            (rows >= zero)
            & (rows < np.int32(self.height))
            & (cols >= zero)
            & (cols < np.int32(self.width))
        )


@functools.lru_cache(maxsize=64)
def board_of(height: int, width: int) -> Board:
    """The (shared, never written) board of a size."""
    return Board(height, width)


class Kit(NamedTuple):
    """What a pure builtin works with."""

    ops: Ops
    board: Board

    @property
    def xp(self) -> Any:
        return self.ops.xp


def expand(value: Any, ndim: int) -> Any:
    """``value`` with axes of 1 added behind, up to ``ndim``."""
    extra = ndim - value.ndim
    return value.reshape(value.shape + (1,) * extra) if extra > 0 else value


def clamp(xp: Any, value: Any, low: Any, high: Any) -> Any:
    """``value`` held within bounds; NumPy's own ``clip`` takes several times as long for few."""
    if xp is np:
        return np.minimum(np.maximum(value, low), high)
    return xp.clip(value, low, high)


def select(xp: Any, mask: Mask, new: Any, old: Any) -> Any:
    """``new`` where the mask (not DEAD) holds, else ``old``; both of one rank."""
    if mask is None:
        return new
    return xp.where(expand(mask, new.ndim), new, old)


def both(mask: Mask, test: Any) -> Mask:
    """The part of ``mask`` (not DEAD) where ``test`` bool[b] holds too."""
    return test if mask is None else mask & test


def either(first: Mask, second: Mask) -> Mask:
    """The union of two masks."""
    if first is DEAD:
        return second
    if second is DEAD:
        return first
    if first is None or second is None:
        return None
    return first | second


def static_int(value: Any) -> int | None:
    """The value of an int32[b] that all copies share and that is known now, else None."""
    if isinstance(value, np.ndarray) and value.shape == (1,):
        return int(value[0])
    return None


def is_known(values: Any) -> bool:
    """Whether all values are known now (in JAX: none is traced)."""
    return all(isinstance(value, np.ndarray) for value in values)
