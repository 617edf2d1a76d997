"""Rolling out in blocks of copies, one after the other: what a step touches stays in the cache.

Nothing about a roll-out changes but which rows go through a matrix product together, and with it
their rounding: a copy plays the levels that it would play, with the same noise.

Shapes: n copies of a slot in D blocks of b; K programs, T roll-out length, M pool size.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from spade_jax.learner.cohort import Collected

__all__ = ["in_blocks"]


def in_blocks(collect: Callable[..., Any], copies: int, block: int) -> Callable[..., Any]:
    """``cohort.make_collect``'s function for ``copies`` copies, which runs ``block`` at a time.

    Args:
      collect: made with ``slot_copies``; it is traced for ``block`` copies.
      copies: n, of a slot and on one device. block: b, which divides n.
    """
    if block == copies:
        return collect
    count = copies // block

    def collect_all(carries: Any, params: Any, inputs: Any, salt: Any, noise: Any) -> Any:
        def one(part: Any) -> Any:
            number, carries, pools = part
            shares = tuple(
                given._replace(pool=pool, first_level=given.first_level + number * block)
                for given, pool in zip(inputs, pools, strict=True)
            )
            return collect(carries, params, shares, salt, noise)

        numbers = jnp.arange(count, dtype=jnp.int32)
        divided = jax.tree.map(functools.partial(_divided, count=count), carries)
        shared = functools.partial(_levels, count=count, block=block)
        pools = tuple(jax.tree.map(shared, given.pool) for given in inputs)
        carries, collected = jax.lax.map(one, (numbers, divided, pools))
        return jax.tree.map(_whole, carries), _joined(collected, len(inputs))

    return collect_all


def _divided(leaf: jax.Array, count: int) -> jax.Array:
    """[n …] -> [D, b …]."""
    return leaf.reshape(count, leaf.shape[0] // count, *leaf.shape[1:])


def _whole(leaf: jax.Array) -> jax.Array:
    """[D, b …] -> [n …]."""
    return leaf.reshape(leaf.shape[0] * leaf.shape[1], *leaf.shape[2:])


def _levels(leaf: jax.Array, count: int, block: int) -> jax.Array:
    """[M …] -> [D, M/D …]: to each block the levels of its copies; copy i has i, n + i, 2n + i …"""
    turns = leaf.shape[0] // (count * block)
    by_turn = leaf.reshape(turns, count, block, *leaf.shape[1:])
    return _divided(jnp.swapaxes(by_turn, 0, 1).reshape(leaf.shape), count)


def _joined(collected: Collected, slots: int) -> Collected:
    """What the blocks collected, [D, T, K·b …] or [D, K·b …], as one roll-out of all copies."""

    def flat(leaf: jax.Array) -> jax.Array:
        count, rows, *tail = leaf.shape
        by_slot = leaf.reshape(count, slots, rows // slots, *tail)
        return jnp.swapaxes(by_slot, 0, 1).reshape(count * rows, *tail)

    timed = jax.vmap(flat, in_axes=1)
    return Collected(
        steps=jax.tree.map(timed, collected.steps),
        episodes=jax.tree.map(timed, collected.episodes),
        last_value=flat(collected.last_value),
        faults=flat(collected.faults),
        memory=jax.tree.map(flat, collected.memory),
    )
