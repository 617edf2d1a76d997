"""Small constant tables; under XLA as arithmetic: entries packed into words and shifted out.

There a gather from a tiny table is slower than three integer operations, which also fuse with what
surrounds them. In NumPy every operation is a pass over memory, and a gather is one of them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["lookup", "lookup_bool"]


def lookup(xp: Any, table: Sequence[int], code: Any) -> Any:
    """``table[code]`` as int32, for ``0 <= code < len(table)``.

    Args:
      xp: numpy or jax.numpy.
      table: entries >= 0 (a handful).
      code: int32 of any shape.
    """
    if xp is np:
        return _held(tuple(table), np.int32).take(code, mode="clip")
    bits = max(1, *(entry.bit_length() for entry in table))
    per_word = 32 // bits
    mask = np.uint32((1 << bits) - 1)
    result: Any = None
    for start in range(0, len(table), per_word):
        chunk = table[start : start + per_word]
        word = np.uint32(sum(entry << (bits * i) for i, entry in enumerate(chunk)))
        shift = code
        if len(table) > per_word:  # lanes of other chunks shift by something, and are not chosen
            shift = xp.clip(code - np.int32(start), np.int32(0), np.int32(per_word - 1))
        part = ((word >> (shift.astype(np.uint32) * np.uint32(bits))) & mask).astype(np.int32)
        result = part if result is None else xp.where(code >= np.int32(start), part, result)
    return result


def lookup_bool(xp: Any, table: Sequence[bool], code: Any) -> Any:
    """``table[code]`` as bool."""
    if all(table) or not any(table):
        return xp.full(code.shape, table[0], np.bool_)
    if xp is np:
        return _held(tuple(table), np.bool_).take(code, mode="clip")
    return lookup(xp, [int(entry) for entry in table], code) != 0


@functools.lru_cache(maxsize=1024)
def _held(table: tuple[int, ...], dtype: type) -> np.ndarray:
    """A table as an array, never written."""
    return np.asarray(table, dtype)
