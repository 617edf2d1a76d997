"""Arrays of which every device has a share, made whole on all of them by one collective.

Several collectives of one executable run in whatever order its parts get ready. Between processes
on CPUs (gloo) each meets whichever the other process is at, so they have to be one, or each has to
need the result of the one before.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

__all__ = ["gather"]


def gather(tree: Any, axis: str) -> Any:
    """Every device's leaf [...], one after the other: [devices, ...], bit for bit.

    To be called on all devices along the mesh's ``axis``, within ``jax.shard_map``. Whatever the
    dtypes, what is sent is one array of bytes.
    """
    leaves, structure = jax.tree.flatten(tree)
    packed = jnp.concatenate([_bytes(leaf) for leaf in leaves])
    sizes = [leaf.size * leaf.dtype.itemsize for leaf in leaves]
    parts = jnp.split(jax.lax.all_gather(packed, axis), np.cumsum(sizes)[:-1], axis=1)
    whole = [_values(*pair) for pair in zip(parts, leaves)]
    return jax.tree.unflatten(structure, whole)


def _bytes(leaf: jax.Array) -> jax.Array:
    """uint8[bytes of the leaf]."""
    if leaf.dtype == jnp.bool_:
        leaf = leaf.astype(jnp.uint8)
    return jax.lax.bitcast_convert_type(leaf, jnp.uint8).reshape(-1)


def _values(part: jax.Array, leaf: jax.Array) -> jax.Array:
    """uint8[devices, bytes] -> [devices, ...] of the leaf's dtype and shape."""
    size = leaf.dtype.itemsize
    if size > 1:
        part = jax.lax.bitcast_convert_type(part.reshape(len(part), -1, size), leaf.dtype)
    return part.reshape(-1, *leaf.shape).astype(leaf.dtype)
