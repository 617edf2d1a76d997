"""Random numbers as a hash: (seed, t) -> one block of 64 bits a step; (block, draw) -> 32 bits.

A draw is named by its site in the program, the linear index of the loops around it, a lane (for
draws that need several numbers) and a cell. Everything is uint32 arithmetic that wraps, so NumPy
and JAX agree bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["block_of", "draw_bits", "fmix32", "uniform"]

_SITE, _LOOP, _LANE, _CELL = 0x9E3779B1, 0x85EBCA77, 0x27D4EB2F, 0xC2B2AE3D
_WORD = 0xFFFFFFFF


def fmix32(h: Any) -> Any:
    """The finaliser of MurmurHash3: a bijection of uint32 that spreads every bit.

    ``h`` must be an array of nobody else's: NumPy mixes it in place.
    """
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h


def block_of(xp: Any, seed: Any, t: Any) -> Any:
    """The random bits of step ``t`` (-1: of ``reset``): uint32[B, 2].

    For each ``t`` it is a bijection of the 64 bits of ``seed``.

    Args:
      xp: numpy or jax.numpy.
      seed: int32[B, 2].
      t: int32[B].
    """
    words, clock = seed.astype(np.uint32), t.astype(np.uint32)
    if isinstance(clock, np.ndarray) and (clock == clock[:1]).all():
        clock = clock[:1]  # most batches keep step: mixed once for all copies
    a = fmix32(words[:, 0] ^ fmix32(clock * np.uint32(_SITE) + np.uint32(0x243F6A88)))
    b = fmix32(words[:, 1] + fmix32(clock * np.uint32(_CELL) + np.uint32(0x85A308D3)))
    first = fmix32(a + b)
    second = fmix32(b ^ first)
    return xp.stack([first, second], axis=1)


def draw_bits(block: Any, site: int, loop: Any, lane: int = 0, cells: Any = None) -> Any:
    """The 32 bits of one draw: uint32[B], or [B, H, W] where ``cells`` is given.

    Args:
      block: uint32[B, 2].
      site: the draw site's number.
      loop: linear index of the loops around it: an int, or an int32 scalar inside a scan.
      lane: which of the numbers of a draw that needs several.
      cells: uint32[1, H, W], the cells' numbers in reading order.
    """
    fixed = site * _SITE + lane * _LANE
    if isinstance(loop, int):
        key: Any = np.uint32((fixed + loop * _LOOP) & _WORD)
    else:
        key = loop.astype(np.uint32) * np.uint32(_LOOP) + np.uint32(fixed & _WORD)
    first, second = block[:, 0], block[:, 1]
    if cells is not None:
        key = key + cells * np.uint32(_CELL)
        first, second = first[:, None, None], second[:, None, None]
    return fmix32(fmix32(first ^ key) + second)


def uniform(bits: Any) -> Any:
    """float32 in [0, 1) from the upper 24 bits."""
    return (bits >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
