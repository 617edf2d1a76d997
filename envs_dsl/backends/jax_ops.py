"""The walker's primitives in JAX: traceable, of static shape, int32, float32 and bool only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from envs_dsl.backends.apart import held
from envs_dsl.backends.kit import DEAD, Mask, both, expand

__all__ = ["JAX"]

HELD = 256
"""From this batch size on intermediate values are held: a call takes about a microsecond, which the
repeated work of fewer copies is not worth."""

_CELLS = lax.GatherDimensionNumbers(
    offset_dims=(),
    collapsed_slice_dims=(1,),
    start_index_map=(1,),
    operand_batching_dims=(0,),
    start_indices_batching_dims=(0,),
)
"""A gather along axis 1 that keeps the batch axis apart, so that it can be sharded."""


def _reads_board(flat: Any, index: Any) -> Any:
    """``flat`` [B, N] at ``index`` int32[B] or [B, K], within range."""
    return lax.gather(
        flat,
        index[..., None],
        _CELLS,
        slice_sizes=(1, 1),
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )


class _JaxOps:
    """See ``kit.Ops``."""

    xp: Any = jnp
    traced = True

    def quiet(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")  # constants are folded in NumPy

    def split(self, mask: Mask, test: Any) -> tuple[Mask, Mask]:
        if isinstance(test, np.ndarray) and test.size == 1:
            return (mask, DEAD) if test.item() else (DEAD, mask)
        return both(mask, test), both(mask, ~test)

    def nobody(self, mask: Mask) -> bool:
        return mask is DEAD

    def hold(self, values: Any) -> Any:
        leaves, structure = jax.tree.flatten(values)
        traced = [i for i, leaf in enumerate(leaves) if not isinstance(leaf, np.ndarray)]
        if not traced or max(leaves[i].shape[0] for i in traced) < HELD:
            return values
        for i, leaf in zip(traced, held([leaves[i] for i in traced]), strict=True):
            leaves[i] = leaf
        return jax.tree.unflatten(structure, leaves)

    def scan(self, count: int, body: Callable[[Any, Any], Any], carry: Any) -> Any:
        trips = jnp.arange(count, dtype=np.int32)
        return lax.scan(lambda c, i: (body(c, i), None), carry, trips)[0]

    def repeat(self, count: int, body: Callable[[Any, Any], Any], carry: Any) -> Any:
        if count > 4:
            return self.scan(count, body, carry)
        for i in range(count):
            carry = body(carry, np.int32(i))
        return carry

    def read_cells(self, grid: Any, rows: Any, cols: Any) -> Any:
        height, width = grid.shape[1:]
        index = rows * np.int32(width) + cols
        flat = jnp.reshape(grid, (grid.shape[0], height * width))
        if flat.shape[0] == 1:
            return jnp.take(flat[0], index, mode="clip")
        index = jnp.broadcast_to(index, (flat.shape[0], *index.shape[1:]))
        return _reads_board(flat, index)

    def write_cell(self, grid: Any, rows: Any, cols: Any, hit: Any, value: Any) -> Any:
        height, width = grid.shape[1:]
        target = jnp.where(hit, rows * np.int32(width) + cols, np.int32(-1))
        cells = lax.broadcasted_iota(np.int32, (1, height, width), 1) * np.int32(width)
        cells = cells + lax.broadcasted_iota(np.int32, (1, height, width), 2)
        return jnp.where(cells == expand(target, 3), expand(value, 3), grid)

    def mark_cells(self, numbers: Any, cells: int) -> Any:
        return jnp.any(numbers[:, :, None] == jnp.arange(cells, dtype=np.int32), axis=1)

    def read_slot(self, array: Any, index: Any) -> Any:
        # The slots are few: choosing among all of them fuses, a gather does not.
        hit = jnp.arange(array.shape[1], dtype=np.int32)[None, :] == index[:, None]
        if array.dtype == np.bool_:
            return jnp.any(array & hit, axis=1)
        kept = jnp.where(expand(hit, array.ndim), array, np.zeros((), array.dtype))
        return jnp.sum(kept, axis=1, dtype=array.dtype)

    def take_slot(self, array: Any, index: Any) -> Any:
        if isinstance(index, int | np.integer):
            return array[:, int(index)]
        return lax.dynamic_index_in_dim(array, index, axis=1, keepdims=False)

    def write_slot(self, array: Any, index: Any, mask: Mask, value: Any) -> Any:
        slots = jnp.arange(array.shape[1], dtype=np.int32)[None, :]
        per_copy = not isinstance(index, int) and index.ndim == 1
        hit = slots == (index[:, None] if per_copy else index)
        if mask is not None:
            hit = hit & mask[:, None]
        return jnp.where(expand(hit, array.ndim), value[:, None], array)

    def fmod(self, a: Any, b: Any) -> Any:
        a, b = jnp.broadcast_arrays(a, b)
        return lax.rem(a, b)

    def unsigned_mod(self, a: Any, b: Any) -> Any:
        a, b = jnp.broadcast_arrays(a, b)
        return lax.rem(a, b)


JAX = _JaxOps()
