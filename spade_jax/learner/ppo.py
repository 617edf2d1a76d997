"""Proximal policy optimisation over a roll-out that holds many programs (arXiv 1707.06347).

Read top to bottom: advantages, their normalisation slot by slot, the loss, the update. The
update is one executable of fixed shape whatever the programs are.

Shapes: T roll-out length, N environments (slots × copies, slot by slot), P slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from envs_dsl.backends.apart import apart
from envs_dsl.interface import Observation
from spade_jax.learner.cohort import Steps
from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.network import entropy, log_prob
from spade_jax.learner.planes import (
    Planes,
    apply_planes,
    by_cell,
    by_channel,
    rows_by_channel,
)
from spade_jax.learner.platform import short_products
from spade_jax.learner.recurrent import Network, RecurrentPolicyValue, apply_sequence, starts

__all__ = ["Losses", "Split", "gae", "make_optimizer", "make_update", "normalise", "shuffled"]


class Losses(NamedTuple):
    """Means over the minibatches of one update, float32[]; healthy bool[P] for each slot.

    skipped int32[]: minibatches whose gradient was not finite, which changed nothing.
    """

    policy: Any
    value: Any
    entropy: Any
    kl: Any
    clipped: Any
    grad_norm: Any
    explained: Any
    healthy: Any
    skipped: Any


class Split(NamedTuple):
    """How a minibatch is divided between devices that run the same update; as it stands, it is not.

    Attributes:
      share: int32[..., M] -> int32[..., M / devices], this device's of the rows, or of the
        environments with a recurrent core.
      total: a tree of arrays -> the same summed over the devices.
    """

    share: Callable[[jax.Array], jax.Array] = lambda order: order
    total: Callable[[Any], Any] = lambda tree: tree


UNDIVIDED = Split()


class _Batch(NamedTuple):
    """Rows of a minibatch: [rows, ...], or with a recurrent core whole sequences [T, N, ...].

    The core's ``memory`` before the first row is then [1, N, H], and ``start`` says where it
    forgets; without a core both are ().
    """

    observation: Observation | Planes
    action: Any
    log_prob: Any
    value: Any
    advantage: Any
    target: Any
    weight: Any
    memory: Any = ()
    start: Any = ()


def gae(
    reward: jax.Array,
    value: jax.Array,
    next_value: jax.Array,
    terminated: jax.Array,
    truncated: jax.Array,
    gamma: float,
    lam: float,
) -> jax.Array:
    """Generalised advantage estimates (arXiv 1506.02438), all arguments [T, N].

    δ_t = r_t + γ·V(s_{t+1})·(1 − terminated_t) − V(s_t);  A_t = δ_t + γλ·(1 − done_t)·A_{t+1}.
    ``next_value`` at a truncated step is the value of that episode's *final* observation: time ran
    out, the future did not end. ``done`` is either.
    """
    delta = reward + gamma * next_value * (1.0 - terminated) - value
    carry_on = gamma * lam * (1.0 - (terminated | truncated))

    def back(advantage: jax.Array, row: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        advantage = row[0] + row[1] * advantage
        return advantage, advantage

    _, advantages = jax.lax.scan(back, jnp.zeros_like(delta[0]), (delta, carry_on), reverse=True)
    return advantages


def normalise(advantage: jax.Array, weight: jax.Array, slots: int, floor: float) -> jax.Array:
    """Advantages to mean 0 and standard deviation 1 (at most) within each slot, [T, N].

    ``weight`` 0 leaves a row out of the statistics. ``floor``: the smallest divisor.
    """
    length, width = advantage.shape
    grouped = advantage.reshape(length, slots, width // slots)
    w = weight.reshape(grouped.shape)
    count = jnp.maximum(jnp.sum(w, axis=(0, 2), keepdims=True), 1.0)
    mean = jnp.sum(grouped * w, axis=(0, 2), keepdims=True) / count
    centred = (grouped - mean) * w
    std = jnp.sqrt(jnp.sum(centred**2, axis=(0, 2), keepdims=True) / count)
    return (centred / jnp.maximum(std, floor)).reshape(length, width)


def make_optimizer(config: LearnerConfig) -> optax.GradientTransformation:
    """Adam behind a clip of the global gradient norm."""
    return optax.chain(
        optax.clip_by_global_norm(config.max_grad_norm),
        optax.adam(config.learning_rate, eps=1e-5),
    )


def make_loss(
    config: LearnerConfig, network: Network, split: Split = UNDIVIDED
) -> Callable[..., Any]:
    """``loss(params, batch) -> (scalar, Losses' first five as a tuple)``.

    Of a minibatch that is divided, this device's part of them.
    """

    dtype = jnp.bfloat16 if short_products(config) else jnp.float32

    def loss(params: Any, batch: _Batch) -> tuple[jax.Array, tuple[jax.Array, ...]]:
        if isinstance(batch.observation, Planes):
            logits, value = apply_planes(params, batch.observation, dtype)
        else:
            assert isinstance(network, RecurrentPolicyValue)  # without a core, rows are planes
            memory = batch.memory[0]
            logits, value = apply_sequence(network, params, batch.observation, memory, batch.start)
        total = jnp.maximum(split.total(jnp.sum(batch.weight)), 1.0)

        def mean(x: jax.Array) -> jax.Array:
            return jnp.sum(x * batch.weight) / total

        log_ratio = log_prob(logits, batch.action) - batch.log_prob
        ratio = jnp.exp(log_ratio)
        limited = jnp.clip(ratio, 1.0 - config.clip, 1.0 + config.clip)
        policy = -mean(jnp.minimum(ratio * batch.advantage, limited * batch.advantage))
        error = (value - batch.target) ** 2
        if config.value_clip is not None:
            near = jnp.clip(value - batch.value, -config.value_clip, config.value_clip)
            error = jnp.maximum(error, (batch.value + near - batch.target) ** 2)
        value_loss = 0.5 * mean(error)
        bonus = mean(entropy(logits))
        kl = mean(ratio - 1.0 - log_ratio)
        clipped = mean((jnp.abs(ratio - 1.0) > config.clip).astype(jnp.float32))
        objective = policy + config.value_coef * value_loss - config.entropy * bonus
        return objective, (policy, value_loss, bonus, kl, clipped)

    return loss


def shuffled(key: jax.Array, config: LearnerConfig) -> jax.Array:
    """The rows of each minibatch of one epoch, int32[minibatches, rows]; every row appears once.

    A minibatch holds equally many rows of every slot: the same steps of the same copies, drawn at
    random. So there is no luck in how much of a program a minibatch sees, and what has to be sorted
    for the shuffling is one slot's share. With a recurrent core it holds whole environments
    instead, drawn from all slots.
    """
    if config.core != "none":
        return jax.random.permutation(key, config.batch).reshape(config.minibatches, -1)
    copies, width = config.copies, config.batch
    place = jax.random.permutation(key, config.slot_rows)
    slots = jnp.arange(config.slots, dtype=jnp.int32) * copies
    rows = (place // copies * width + place % copies)[:, None] + slots
    return rows.astype(jnp.int32).reshape(config.minibatches, -1)


def make_update(
    config: LearnerConfig, network: Network, split: Split = UNDIVIDED
) -> Callable[..., Any]:
    """The update function; with ``split`` one of those that run together.

    Returns:
      ``update(params, opt_state, rollouts, last_values, memories, key) -> (params, opt_state,
      Losses)``. rollouts: tuple over cohorts of ``Steps`` [T, …]; last_values: tuple of
      float32[…]; memories: tuple of what the recurrent core held before the first row, float32
      […, H] or (). The cohorts are joined in order, to N = slots × copies environments. key:
      uint32[2], for the order of the rows, or with a core of the environments. Rows that are
      invalid, and all rows of a slot in which anything was not finite, weigh nothing. A gradient
      that is not finite changes nothing.
    """
    optimizer = make_optimizer(config)
    gradient = jax.value_and_grad(make_loss(config, network, split), has_aux=True)
    slots, rows = config.slots, config.slot_rows * config.slots
    recurrent = config.core != "none"

    def update(
        params: Any,
        opt_state: Any,
        rollouts: Sequence[Steps],
        last_values: Any,
        memories: Any,
        key: jax.Array,
    ) -> Any:
        # Apart from what reads them, here and below, copies are copies: fused into it, XLA looks up
        # every number where it comes from.
        steps = apart(_joined)(*rollouts)
        length, width = steps.reward.shape
        healthy = jnp.all(steps.healthy.reshape(length, slots, width // slots), axis=(0, 2))
        weight = (steps.valid & jnp.repeat(healthy, width // slots)).astype(jnp.float32)
        value = jnp.where(jnp.isfinite(steps.value), steps.value, 0.0)
        last = jnp.concatenate(last_values)
        last = jnp.where(jnp.isfinite(last), last, 0.0)
        next_value = jnp.concatenate([value[1:], last[None]])
        raw = gae(
            *(steps.reward, value, next_value, steps.terminated, steps.truncated),
            *(config.gamma, config.gae_lambda),
        )
        target = raw + value
        explained = _explained(value, target, weight)
        batch = _Batch(
            observation=Observation(steps.cells, steps.hud, steps.legal),
            action=steps.action,
            log_prob=steps.log_prob,
            value=value,
            advantage=normalise(raw, weight, slots, config.advantage_floor),
            target=target,
            weight=weight,
        )
        if recurrent:
            memory = jnp.concatenate(memories)[None]
            batch = batch._replace(memory=memory, start=starts(steps))
        else:
            batch = jax.tree.map(lambda leaf: leaf.reshape(rows, *leaf.shape[2:]), batch)
            packed = apart(rows_by_channel)(batch.observation.cells)
            batch = batch._replace(observation=batch.observation._replace(cells=()))
            params, opt_state = by_channel((params, opt_state))

        def minibatch(carry: Any, chosen: tuple[jax.Array, Any]) -> Any:
            params, opt_state = carry
            index, cells = chosen
            if recurrent:
                part = jax.tree.map(lambda leaf: leaf[:, index], batch)
            else:
                part = jax.tree.map(lambda leaf: _take(leaf, index), batch)
                part = part._replace(observation=Planes(cells, *part.observation[1:]))
            (_, parts), grads = gradient(params, part)
            parts, grads = split.total((parts, grads))
            norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
            updates, following = optimizer.update(grads, opt_state, params)
            new = (optax.apply_updates(params, updates), following)
            carry = jax.tree.map(lambda a, b: jnp.where(jnp.isfinite(norm), a, b), new, carry)
            return carry, (*parts, norm)

        def epoch(carry: Any, key: jax.Array) -> Any:
            order = split.share(shuffled(key, config))
            cells: Any = ()
            if not recurrent:
                # The one copy of the cells an epoch, still packed: 486 bytes a row.
                cells = apart(_take)(packed, order.reshape(-1)).reshape(*order.shape, -1)
                cells = apart(_rows_last)(cells)
            return jax.lax.scan(minibatch, carry, (order, cells))

        keys = jax.random.split(jax.random.wrap_key_data(key, impl="threefry2x32"), config.epochs)
        (params, opt_state), parts = jax.lax.scan(epoch, (params, opt_state), keys)
        if not recurrent:
            params, opt_state = by_cell((params, opt_state))
        skipped = jnp.sum(~jnp.isfinite(parts[-1]), dtype=jnp.int32)
        policy, value_loss, bonus, kl, clipped, norm = (jnp.mean(part) for part in parts)
        losses = Losses(policy, value_loss, bonus, kl, clipped, norm, explained, healthy, skipped)
        return params, opt_state, losses

    return update


def _joined(*rollouts: Steps) -> Steps:
    joined: Steps = jax.tree.map(lambda *parts: jnp.concatenate(parts, axis=1), *rollouts)
    return joined


def _rows_last(leaf: jax.Array) -> jax.Array:
    return leaf.swapaxes(1, 2)


def _take(leaf: jax.Array, index: jax.Array) -> jax.Array:
    return leaf.at[index].get(mode="promise_in_bounds")


def _explained(value: jax.Array, target: jax.Array, weight: jax.Array) -> jax.Array:
    """Share of the targets' variance that the values explain, float32[]."""
    total = jnp.maximum(jnp.sum(weight), 1.0)

    def variance(x: jax.Array) -> jax.Array:
        mean = jnp.sum(x * weight) / total
        return jnp.sum((x - mean) ** 2 * weight) / total

    return 1.0 - variance(target - value) / jnp.maximum(variance(target), 1e-8)
