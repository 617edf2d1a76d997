"""The walker's primitives in NumPy. It looks at masks and skips what nobody would execute."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from envs_dsl.backends.kit import DEAD, Mask, expand, select

__all__ = ["NUMPY"]


class _NumpyOps:
    """See ``kit.Ops``."""

    xp: Any = np
    traced = False

    def quiet(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def split(self, mask: Mask, test: Any) -> tuple[Mask, Mask]:
        then = test if mask is None else mask & test
        if not then.any():
            return DEAD, mask
        orelse = ~test if mask is None else mask & ~test
        if not orelse.any():
            return mask, DEAD
        return then, orelse

    def nobody(self, mask: Mask) -> bool:
        return mask is DEAD or (mask is not None and not mask.any())

    def hold(self, values: Any) -> Any:
        return values

    def scan(self, count: int, body: Callable[[Any, Any], Any], carry: Any) -> Any:
        for i in range(count):
            carry = body(carry, np.int32(i))
        return carry

    def repeat(self, count: int, body: Callable[[Any, Any], Any], carry: Any) -> Any:
        for i in range(count):
            before, carry = carry, body(carry, np.int32(i))
            if all(np.array_equal(old, new) for old, new in zip(before, carry)):
                break
        return carry

    def read_cells(self, grid: Any, rows: Any, cols: Any) -> Any:
        if len(grid) == 1:
            return grid[0][rows, cols]
        if rows.shape == (1,):
            return grid[:, rows[0], cols[0]]
        lanes = np.arange(len(grid))
        return grid[lanes if rows.ndim == 1 else lanes[:, None], rows, cols]

    def write_cell(self, grid: Any, rows: Any, cols: Any, hit: Any, value: Any) -> Any:
        grid = grid.copy()
        if not hit.any():
            return grid
        lanes = np.arange(len(grid)) if len(hit) == 1 else np.flatnonzero(hit)
        chosen = [v if len(v) == 1 else v[lanes] for v in (rows, cols, value)]
        grid[lanes, chosen[0], chosen[1]] = chosen[2]
        return grid

    def mark_cells(self, numbers: Any, cells: int) -> Any:
        marked = np.zeros((len(numbers), cells + 1), np.bool_)
        marked[np.arange(len(numbers))[:, None], numbers] = True  # -1 is the cell to spare
        return marked[:, :cells]

    def read_slot(self, array: Any, index: Any) -> Any:
        length = array.shape[1]
        within = (index >= 0) & (index < length)
        slot = np.clip(index, 0, length - 1)
        if len(slot) == 1:
            got = array[:, slot[0]]
        elif len(array) == 1:
            got = array[0][slot]
        else:
            got = array[np.arange(len(array)), slot]
        if within.all():
            return got
        return np.where(expand(within, got.ndim), got, np.zeros((), array.dtype))

    def take_slot(self, array: Any, index: Any) -> Any:
        return array[:, index]

    def write_slot(self, array: Any, index: Any, mask: Mask, value: Any) -> Any:
        array = array.copy()
        if isinstance(index, int):
            array[:, index] = select(np, mask, value, array[:, index])
            return array
        lanes = np.arange(len(array)) if mask is None or len(mask) == 1 else np.flatnonzero(mask)
        if mask is None or mask.any():
            chosen = [v if len(v) == 1 else v[lanes] for v in (index, value)]
            array[lanes, chosen[0]] = chosen[1]
        return array

    def fmod(self, a: Any, b: Any) -> Any:
        return np.fmod(a, b)

    def unsigned_mod(self, a: Any, b: Any) -> Any:
        return a % b


NUMPY = _NumpyOps()
