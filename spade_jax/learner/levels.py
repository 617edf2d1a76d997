"""Levels: (seed, parameters) pairs, drawn on the host, an argument of every executable."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spade_jax.play import hash_bits, uniform

__all__ = ["Levels", "draw_levels", "fold"]


class Levels(NamedTuple):
    """M levels: seeds int32[M, 2], params float32[M, P]."""

    seeds: NDArray[np.int32]
    params: NDArray[np.float32]


def fold(root: NDArray[np.uint32], *words: int) -> NDArray[np.uint32]:
    """A child of the root key uint32[2], one for each tuple of ``words``; pure."""
    key = np.asarray(root, np.uint32)[None]
    for word in words:
        index = np.asarray([word & 0xFFFFFFFF], np.uint32)
        key = hash_bits(key, index, 0x5EED, 2)
    return key[0]


def draw_levels(
    program: Any,
    count: int,
    key: NDArray[np.uint32],
    param_noise: float = 0.0,
    difficulty: float | None = None,
) -> Levels:
    """``count`` fresh levels of a program.

    Args:
      program: gives the parameters' values and ranges.
      key: uint32[2], see ``fold``; index i of the same key is always the same level.
      param_noise: standard deviation of each parameter as a share of its range; values are clipped
        to the range, integer parameters rounded. 0 gives the values themselves.
      difficulty: what the parameters lie around: None the declared values, else
        ``program.params_at(difficulty)``.
    """
    index = np.arange(count, dtype=np.uint32)
    words = np.broadcast_to(np.asarray(key, np.uint32), (count, 2))
    seeds = hash_bits(words, index, 0x1E7E1, 2).view(np.int32)
    center = program.default_params() if difficulty is None else program.params_at(difficulty)
    params = np.broadcast_to(center, (count, len(program.params))).astype(np.float32)
    if param_noise > 0.0 and program.params:
        low = np.asarray([p.low for p in program.params], np.float32)
        high = np.asarray([p.high for p in program.params], np.float32)
        whole = np.asarray([p.is_int for p in program.params], bool)
        bits = hash_bits(words, index, 0xD0, 2 * len(program.params))
        radius, angle = np.split(bits, 2, axis=1)
        # Box-Muller: √(−2 ln u) is the radius of a pair of normals.
        length = np.sqrt(-2.0 * np.log(uniform(radius)))
        normal = length * np.cos(2.0 * np.pi * uniform(angle))
        params = np.clip(params + param_noise * (high - low) * normal, low, high)
        params = np.where(whole, np.rint(params), params).astype(np.float32)
    return Levels(seeds, params)
