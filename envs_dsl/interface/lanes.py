"""Three things of which XLA needs the right words to be fast. Importing this imports JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

__all__ = ["bytes_of", "squares", "written"]

_SQUARES = lax.GatherDimensionNumbers(
    offset_dims=(1, 2),
    collapsed_slice_dims=(),
    start_index_map=(1, 2),
    operand_batching_dims=(0,),
    start_indices_batching_dims=(0,),
)
"""The batch axis apart, so that it can be sharded."""


def squares(boards: Any, corners: Any, side: int) -> Any:
    """From each board [B, H, W] the square whose upper left cell is at ``corners`` int32[B, 2].

    It is taken as one slice a board; cell by cell takes several times as long.

    Returns:
      [B, side, side]; the squares must lie within the boards.
    """
    inside = lax.GatherScatterMode.PROMISE_IN_BOUNDS
    return lax.gather(boards, corners, _SQUARES, (1, side, side), mode=inside)


def bytes_of(first: Any, second: Any) -> Any:
    """The eight bytes of two int32[...], the lowest of each first: uint8[..., 8].

    Words are computed once and then only seen as bytes; shifting every byte out of its word, or
    stacking eight arrays, takes XLA up to twice as long.
    """
    words = jnp.stack([first, second], -1).astype(np.uint32)
    return lax.bitcast_convert_type(words, np.uint8).reshape(*first.shape, 8)


def written(whole: Any, piece: Any, start: int) -> Any:
    """``whole`` [..., N] with ``piece`` [..., k] from place ``start`` of the last axis on.

    XLA writes it in place. Joining short pieces along the last axis takes twice as long.
    """
    return lax.dynamic_update_slice_in_dim(whole, piece, start, axis=-1)
