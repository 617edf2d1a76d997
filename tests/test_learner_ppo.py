"""Advantages against hand-computed returns, and the update's masks."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.plain_update import plain_update
from envs_dsl.interface import ACTIONS, HUD, VIEW
from spade_jax.learner import LearnerConfig
from spade_jax.learner.cohort import Steps
from spade_jax.learner.network import init_params
from spade_jax.learner.ppo import gae, make_optimizer, make_update, normalise, shuffled
from spade_jax.learner.recurrent import make_network


def columns(*rows):
    return tuple(jnp.asarray(row)[:, None] for row in rows)


def test_gae_by_hand():
    # One terminated episode of two steps, then the first step of another that goes on.
    reward, value, following = columns([1.0, 2.0, 3.0], [0.5, 0.25, 1.0], [0.25, 9.0, 4.0])
    ended, cut = columns([False, True, False], [False, False, False])
    got = gae(reward, value, following, ended, cut, gamma=0.5, lam=0.5)[:, 0]
    last = 3.0 + 0.5 * 4.0 - 1.0
    second = 2.0 - 0.25  # terminated: nothing follows, not the 9
    first = 1.0 + 0.5 * 0.25 - 0.5 + 0.25 * second
    assert np.allclose(got, [first, second, last])


@pytest.mark.parametrize("lam", [0.0, 0.9, 1.0])
def test_truncation_bootstraps(lam):
    # Every step pays 1 for ever; time runs out after 5. The true value is 1/(1 − γ) everywhere,
    # also in the final state: with a bootstrap the advantages are exactly 0, for every λ.
    gamma = 0.9
    true = 1.0 / (1.0 - gamma)
    reward, value, following = columns([1.0] * 5, [true] * 5, [true] * 5)
    ended, cut = columns([False] * 5, [False] * 4 + [True])
    got = gae(reward, value, following, ended, cut, gamma, lam)
    assert np.allclose(got, 0.0, atol=1e-5)


def test_truncation_with_unknown_values_gives_the_discounted_return():
    # λ = 1, values 0 but for the final state's: A_t = Σ γ^k r + γ^(5−t) V(final).
    gamma, final = 0.9, 7.0
    reward, value, following = columns([1.0] * 5, [0.0] * 5, [0.0] * 4 + [final])
    ended, cut = columns([False] * 5, [False] * 4 + [True])
    got = gae(reward, value, following, ended, cut, gamma, 1.0)[:, 0]
    n = np.arange(5, 0, -1)
    assert np.allclose(got, (1 - gamma**n) / (1 - gamma) + gamma**n * final, rtol=1e-5)


def test_nothing_leaks_over_an_episodes_end():
    rng = np.random.default_rng(0)
    reward, value, following = (jnp.asarray(rng.normal(size=(6, 1))) for _ in range(3))
    for ended, cut in (([0, 0, 1, 0, 0, 0], [0] * 6), ([0] * 6, [0, 0, 1, 0, 0, 0])):
        ended, cut = columns(np.asarray(ended, bool), np.asarray(cut, bool))
        base = gae(reward, value, following, ended, cut, 0.99, 0.95)
        moved = gae(reward.at[3:].add(5.0), value, following, ended, cut, 0.99, 0.95)
        assert np.array_equal(base[:3], moved[:3]) and not np.array_equal(base[3], moved[3])


def test_normalise_is_by_slot_and_ignores_masked_rows():
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(50, 8)).astype(np.float32)
    raw[:, 4:] = raw[:, 4:] * 100.0 + 30.0  # one program with large returns
    weight = np.ones((50, 8), np.float32)
    weight[:10, 0] = 0.0
    raw[:10, 0] = 1e6
    got = np.asarray(normalise(jnp.asarray(raw), jnp.asarray(weight), slots=2, floor=1e-3))
    assert np.all(got[:10, 0] == 0.0)
    for part, w in ((got[:, :4], weight[:, :4]), (got[:, 4:], weight[:, 4:])):
        assert abs(part.sum() / w.sum()) < 1e-3
        assert abs((part**2).sum() / w.sum() - 1.0) < 1e-3


def test_normalise_does_not_blow_up_noise():
    raw = jnp.asarray(np.random.default_rng(0).normal(size=(10, 4)) * 1e-4)
    got = normalise(raw, jnp.ones((10, 4)), slots=1, floor=0.02)
    assert np.abs(got).max() < 0.05
    assert np.all(jax.tree.leaves(normalise(raw * 0, jnp.zeros((10, 4)), 1, 0.02))[0] == 0.0)


def test_the_update_takes_the_plain_ones_step():
    # One minibatch of all rows: their order does not matter, and Adam's mean shows the gradient.
    config = LearnerConfig(
        slots=4, copies=4, cohort_size=2, rollout_length=6, hidden=16, epochs=1, minibatches=1
    )
    network = make_network(config)
    params = init_params(network, jax.random.key(0))
    opt_state = make_optimizer(config).init(params)
    rollouts = tuple(random_steps(np.random.default_rng(k), 6, 8) for k in range(2))
    last = tuple(jnp.full(8, 0.3 * k, jnp.float32) for k in range(2))
    key = np.asarray([3, 4], np.uint32)
    update = jax.jit(make_update(config, network))
    mine = update(params, opt_state, rollouts, last, ((), ()), key)
    plain = jax.jit(plain_update(config))(params, opt_state, rollouts, last, key)
    assert jax.tree.structure(mine[:2]) == jax.tree.structure(plain)
    gradients = (mine[1][1][0].mu, plain[1][1][0].mu)
    for a, b in zip(*map(jax.tree.leaves, gradients), strict=True):
        assert np.abs(b).max() > 1e-5
        assert np.allclose(a, b, rtol=1e-3, atol=1e-5 * np.abs(b).max())
    for a, b in zip(*(jax.tree.leaves(found[0]) for found in (mine, plain)), strict=True):
        assert np.allclose(a, b, atol=2e-5)
    assert mine[2].skipped == 0

    # Rewards that are finite, and too large for their squares to be: nothing changes, and is told.
    rich = (rollouts[0], rollouts[1]._replace(reward=np.full_like(rollouts[1].reward, 1e20)))
    still = update(params, opt_state, rich, last, ((), ()), key)
    assert still[2].skipped == 1 and np.all(still[2].healthy)
    for a, b in zip(*(jax.tree.leaves(tree) for tree in (still[:2], (params, opt_state)))):
        assert np.array_equal(a, b)


def random_steps(rng, length, width):
    """Transitions that no environment gave, a tenth of the rows invalid."""
    legal = rng.random((length, width, ACTIONS)) < 0.5
    legal[..., 0] = True
    number, flag = (lambda: rng.normal(size=(length, width))), (lambda: rng.random((length, width)))
    found = Steps(
        cells=rng.integers(0, 256, (length, width, VIEW, VIEW, 6), np.uint8),
        hud=rng.normal(size=(length, width, HUD)),
        legal=legal,
        action=np.argmax(rng.random(legal.shape) * legal, axis=-1),
        log_prob=-0.5 + 0.1 * number(),
        value=number(),
        reward=number(),
        terminated=flag() < 0.1,
        truncated=flag() < 0.1,
        valid=flag() < 0.9,
        healthy=np.ones((length, width), bool),
    )
    short = {np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32}
    return jax.tree.map(lambda leaf: leaf.astype(short.get(leaf.dtype, leaf.dtype)), found)


def test_an_epoch_shows_every_row_once_and_every_slot_equally_often():
    config = LearnerConfig(slots=4, copies=6, cohort_size=2, rollout_length=8, minibatches=3)
    order = np.asarray(shuffled(jax.random.key(0), config))
    assert order.shape == (3, 64) and order.dtype == np.int32
    assert np.array_equal(np.sort(order.ravel()), np.arange(4 * 6 * 8))
    # Row t·N + environment, the environments slot by slot.
    slot = order % 24 // 6
    assert all(np.array_equal(np.bincount(part), [16] * 4) for part in slot)
    other = np.asarray(shuffled(jax.random.key(1), config))
    assert not np.array_equal(order, other)


def test_which_steps_meet_in_a_minibatch_is_random():
    config = LearnerConfig(slots=2, copies=4, cohort_size=1, rollout_length=4, minibatches=2)
    orders = jax.vmap(lambda key: shuffled(key, config))(jax.random.split(jax.random.key(3), 2000))
    first = np.asarray(orders[:, 0])  # rows of the first minibatch
    often = np.bincount(first.ravel(), minlength=32) / 2000
    # Each row is in it half of the time: 2,000 draws, a standard deviation of 0.011.
    assert np.all(np.abs(often - 0.5) < 0.06)
    step, environment = first // 8, first % 8
    # And two steps of one copy meet as often as any two of the 16 places: 7 in 15.
    both = [np.isin([0, 8], row).all() for row in first]
    assert abs(np.mean(both) - 7 / 30) < 0.05
    assert step.max() == 3 and environment.max() == 7
