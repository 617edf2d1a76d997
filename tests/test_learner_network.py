"""The policy-value network: equal in NumPy, masked, small."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from envs_dsl.interface import ACTIONS, CELL_FEATURES, HUD, VIEW, Observation
from spade_jax.forward import Forward
from spade_jax.learner.network import PolicyValue, entropy, init_params, log_prob, numpy_params


def observations(batch, seed=0):
    rng = np.random.default_rng(seed)
    legal = rng.random((batch, ACTIONS)) < 0.5
    legal[:, 0] = True
    return Observation(
        rng.integers(0, 256, (batch, VIEW, VIEW, 6), dtype=np.uint8),
        rng.normal(size=(batch, HUD)).astype(np.float32),
        legal,
    )


def test_numpy_equals_flax():
    network = PolicyValue()
    params = init_params(network, jax.random.key(0))
    observation = observations(64)
    logits, value = network.apply({"params": params}, jax.tree.map(jnp.asarray, observation))
    mine, mine_value = Forward(numpy_params(params))(observation)
    assert np.abs(np.asarray(logits) - mine)[observation.legal].max() < 1e-4
    assert np.abs(np.asarray(value) - mine_value).max() < 1e-4


def test_illegal_actions_have_no_probability():
    network = PolicyValue(hidden=16, cell_embedding=2)
    params = init_params(network, jax.random.key(1))
    observation = jax.tree.map(jnp.asarray, observations(32))
    logits, _ = network.apply({"params": params}, observation)
    p = np.asarray(jax.nn.softmax(logits))
    assert np.all(p[~np.asarray(observation.legal)] == 0.0)
    assert np.allclose(p.sum(-1), 1.0, atol=1e-5)


def test_log_prob_and_entropy_by_hand():
    logits = jnp.asarray([[0.0] * 4 + [-1e9] * 16, [0.0] + [-1e9] * 19])
    assert np.allclose(entropy(logits), [np.log(4.0), 0.0], atol=1e-6)
    assert np.allclose(log_prob(logits, jnp.asarray([2, 0])), [-np.log(4.0), 0.0], atol=1e-6)
    gradient = jax.grad(lambda x: jnp.sum(entropy(x)))(logits)
    assert np.all(np.isfinite(gradient))


def test_the_network_is_small():
    config = PolicyValue()
    per_sample = VIEW * VIEW * CELL_FEATURES * config.cell_embedding
    per_sample += (VIEW * VIEW * config.cell_embedding + HUD + config.hidden) * config.hidden
    per_sample += config.hidden * (ACTIONS + 1)
    assert per_sample < 250_000  # multiply-adds
