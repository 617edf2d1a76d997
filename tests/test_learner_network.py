"""The policy-value network: equal in NumPy, masked, small."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.purejaxrl_recipe import PlainPolicyValue
from envs_dsl.interface import ACTIONS, CELL_FEATURES, HUD, VIEW, Observation, unpack_cells
from spade_jax.forward import Forward
from spade_jax.learner import LearnerConfig
from spade_jax.learner.network import (
    PolicyValue,
    entropy,
    init_params,
    log_prob,
    numpy_params,
)
from spade_jax.learner.planes import (
    Planes,
    apply_planes,
    by_cell,
    by_channel,
    rows_by_channel,
    unpack_planes,
)
from spade_jax.learner.ppo import make_optimizer


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


def test_planes_hold_the_same_features_bit_for_bit():
    # Every value of every channel: one row for each byte.
    cells = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 6, axis=1)
    found = np.asarray(unpack_planes(jnp.asarray(cells.T)))
    assert found.dtype == np.float32
    assert np.array_equal(found.T, unpack_cells(np, cells))


def test_leading_axes_are_free():
    network = PolicyValue(hidden=16, cell_embedding=2)
    params = init_params(network, jax.random.key(1))
    rows = jax.tree.map(jnp.asarray, observations(12))
    grid = jax.tree.map(lambda leaf: leaf.reshape(3, 4, *leaf.shape[1:]), rows)
    logits, value = network.apply({"params": params}, rows)
    grid_logits, grid_value = network.apply({"params": params}, grid)
    assert grid_logits.shape == (3, 4, ACTIONS) and grid_value.shape == (3, 4)
    assert np.allclose(grid_logits.reshape(12, ACTIONS), logits, atol=1e-5)
    assert np.allclose(grid_value.reshape(12), value, atol=1e-5)


def test_planes_are_the_same_function_with_the_same_gradient():
    network = PolicyValue()
    params = init_params(network, jax.random.key(0))
    rows = jax.tree.map(jnp.asarray, observations(24))
    planes = Planes(rows_by_channel(rows.cells).T, rows.hud, rows.legal)

    def objective(apply):
        def loss(params):
            logits, value = apply(params)
            return jnp.mean(jnp.where(rows.legal, logits, 0.0) ** 2) + jnp.mean(value**2)

        return apply(params), jax.grad(loss)(params)

    (mine, slope), (want, steep) = (
        objective(lambda params: apply_planes(by_channel(params), planes)),
        objective(lambda params: network.apply({"params": params}, rows)),
    )
    for a, b in zip(mine, want, strict=True):
        assert np.allclose(a, b, atol=1e-5)
    assert jax.tree.structure(slope) == jax.tree.structure(steep)
    for a, b in zip(jax.tree.leaves(slope), jax.tree.leaves(steep), strict=True):
        assert np.allclose(a, b, rtol=1e-3, atol=1e-5 * float(jnp.abs(b).max() + 1))


def test_short_products_come_close_with_parameters_as_they_were():
    params = init_params(PolicyValue(), jax.random.key(0))
    rows = jax.tree.map(jnp.asarray, observations(256))
    planes = Planes(rows_by_channel(rows.cells).T, rows.hud, rows.legal)

    def slope(dtype):
        def loss(params):
            logits, value = apply_planes(params, planes, dtype)
            return jnp.mean(jnp.where(rows.legal, logits, 0.0)) + jnp.mean(value)

        return jax.tree.leaves(jax.grad(loss)(by_channel(params)))

    errors = []
    for short, long in zip(slope(jnp.bfloat16), slope(jnp.float32), strict=True):
        assert short.dtype == long.dtype == jnp.float32
        errors.append(float(jnp.linalg.norm(short - long) / jnp.linalg.norm(long)))
    assert 1e-3 < max(errors) < 0.1  # eight bits a number, so it is not float32 that ran


def test_parameters_and_optimiser_states_are_turned_there_and_back():
    params = init_params(PolicyValue(hidden=4, cell_embedding=3), jax.random.key(0))
    tree = (params, make_optimizer(LearnerConfig()).init(params))
    tree = jax.tree.map(lambda leaf: leaf + jnp.arange(leaf.size).reshape(leaf.shape), tree)
    there = by_channel(tree)
    for before, after in ((tree[0], there[0]), (tree[1][1][0].mu, there[1][1][0].mu)):
        kernel, turned = before["view"]["kernel"], after["view"]["kernel"]
        assert np.array_equal(turned[2 * VIEW * VIEW + 5], kernel[5 * 3 + 2])
        assert np.array_equal(after["core"]["kernel"], before["core"]["kernel"])
    back = by_cell(there)
    assert jax.tree.structure(back) == jax.tree.structure(tree)
    assert all(map(np.array_equal, jax.tree.leaves(back), jax.tree.leaves(tree)))


def test_the_peer_of_the_benchmark_has_the_learners_network():
    """Same parameters from the same key, same function."""
    ours, theirs = PolicyValue(16, 3), PlainPolicyValue(16, 3)
    rows = jax.tree.map(jnp.asarray, observations(8))
    params = init_params(ours, jax.random.key(0))
    other = theirs.init(jax.random.key(0), rows)
    assert jax.tree.structure({"params": params}) == jax.tree.structure(other)
    assert all(map(np.array_equal, jax.tree.leaves(params), jax.tree.leaves(other)))
    for a, b in zip(ours.apply({"params": params}, rows), theirs.apply(other, rows), strict=True):
        assert np.allclose(a, b, atol=1e-5)


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
