"""The PPO update as one writes it down: the reference that ``benchmarks.curves`` trains beside.

The mathematics of ``spade_jax.learner.ppo`` (arXiv 1707.06347) without anything done for speed:
rows first, the network as flax applies it, ``jax.grad``, one shuffle of all rows an epoch and a
copy of them in the new order. Shares no code with the learner's update but its network, the
log-probabilities and entropy that belong to it, and the optimiser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax

from envs_dsl.interface import Observation
from spade_jax.learner import LearnerConfig
from spade_jax.learner.network import PolicyValue, entropy, log_prob

__all__ = ["plain_update"]


def plain_update(config: LearnerConfig) -> Callable[..., tuple[Any, Any]]:
    """``update(params, opt_state, rollouts, last_values, key) -> (params, opt_state)``.

    rollouts: ``Steps`` [T, …] of each cohort; last_values: float32[…] of each; key: uint32[2].
    """
    network = PolicyValue(config.hidden, config.cell_embedding)
    optimizer = optax.chain(
        optax.clip_by_global_norm(config.max_grad_norm),
        optax.adam(config.learning_rate, eps=1e-5),
    )

    def loss(params: Any, rows: Any) -> jax.Array:
        logits, value = network.apply({"params": params}, rows["observation"])
        ratio = jnp.exp(log_prob(logits, rows["action"]) - rows["log_prob"])
        limited = jnp.clip(ratio, 1.0 - config.clip, 1.0 + config.clip)
        gain = jnp.minimum(ratio * rows["advantage"], limited * rows["advantage"])
        error = 0.5 * (value - rows["target"]) ** 2
        each = config.value_coef * error - gain - config.entropy * entropy(logits)
        return jnp.sum(each * rows["valid"]) / jnp.maximum(jnp.sum(rows["valid"]), 1.0)

    def minibatch(carry: tuple[Any, Any], rows: Any) -> tuple[tuple[Any, Any], None]:
        params, opt_state = carry
        changes, opt_state = optimizer.update(jax.grad(loss)(params, rows), opt_state, params)
        return (optax.apply_updates(params, changes), opt_state), None

    def update(
        params: Any, opt_state: Any, rollouts: Any, last_values: Any, key: jax.Array
    ) -> tuple[Any, Any]:
        steps = jax.tree.map(lambda *parts: jnp.concatenate(parts, axis=1), *rollouts)
        valid = steps.valid.astype(jnp.float32)
        advantage = _advantages(config, steps, jnp.concatenate(last_values))
        rows = {
            "observation": Observation(steps.cells, steps.hud, steps.legal),
            "action": steps.action,
            "log_prob": steps.log_prob,
            "advantage": _standardised(config, advantage, valid),
            "target": advantage + steps.value,
            "valid": valid,
        }
        count = steps.reward.size
        rows = jax.tree.map(lambda leaf: leaf.reshape(count, *leaf.shape[2:]), rows)

        def epoch(carry: tuple[Any, Any], key: jax.Array) -> tuple[tuple[Any, Any], None]:
            order = jax.random.permutation(key, count)

            def divided(leaf: jax.Array) -> jax.Array:
                return leaf[order].reshape(config.minibatches, -1, *leaf.shape[1:])

            return jax.lax.scan(minibatch, carry, jax.tree.map(divided, rows))

        keys = jax.random.split(jax.random.wrap_key_data(key), config.epochs)
        (params, opt_state), _ = jax.lax.scan(epoch, (params, opt_state), keys)
        return params, opt_state

    return update


def _advantages(config: LearnerConfig, steps: Any, last: jax.Array) -> jax.Array:
    """Generalised advantage estimates (arXiv 1506.02438), step by step from the last, [T, N]."""
    following, advantage, found = last, jnp.zeros_like(last), []
    for t in reversed(range(steps.reward.shape[0])):
        goes_on = 1.0 - steps.terminated[t]
        delta = steps.reward[t] + config.gamma * following * goes_on - steps.value[t]
        same = 1.0 - (steps.terminated[t] | steps.truncated[t])
        advantage = delta + config.gamma * config.gae_lambda * same * advantage
        following = steps.value[t]
        found.append(advantage)
    return jnp.stack(found[::-1])


def _standardised(config: LearnerConfig, advantage: jax.Array, valid: jax.Array) -> jax.Array:
    """Mean 0 and standard deviation 1 (at most) over the steps of each slot."""
    parts = []
    for slot in range(config.slots):
        own = slice(slot * config.copies, (slot + 1) * config.copies)
        mine, counts = advantage[:, own], valid[:, own]
        total = jnp.maximum(counts.sum(), 1.0)
        centred = (mine - (mine * counts).sum() / total) * counts
        deviation = jnp.sqrt((centred**2).sum() / total)
        parts.append(centred / jnp.maximum(deviation, config.advantage_floor))
    return jnp.concatenate(parts, axis=1)
