"""Whole episodes of injected policies on a NumPy back end."""

from __future__ import annotations

import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest
from fake_backend import FakeProgram, fake_numpy

from envs_dsl.interface import ACTIONS, HUD, VIEW, Observation
from spade_jax.play import (
    against,
    constant,
    episode_seeds,
    gumbel,
    hash_bits,
    load_policy,
    noop,
    numpy_policy,
    play_numpy,
    random_actions,
    random_legal,
    save_policy,
    scripted,
)


def play(program, policy, seeds):
    backend = fake_numpy(program)
    params = np.zeros((len(seeds), 0), np.float32)
    return play_numpy(backend, backend.constants(program), program, policy, seeds, params)


def network_params(seed=0, hidden=16, embedding=4):
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return (rng.normal(size=shape) * 0.1).astype(np.float32)

    return {
        "cell/kernel": normal(39, embedding),
        "cell/bias": normal(embedding),
        "view/kernel": normal(VIEW * VIEW * embedding, hidden),
        "hud/kernel": normal(HUD, hidden),
        "hud/bias": normal(hidden),
        "core/kernel": normal(hidden, hidden),
        "core/bias": normal(hidden),
        "policy/kernel": normal(hidden, ACTIONS),
        "policy/bias": normal(ACTIONS),
        "value/kernel": normal(hidden, 1),
        "value/bias": normal(1),
    }


def test_imports_no_jax():
    code = "import sys, spade_jax.play; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_one_whole_episode_a_copy():
    # Hand-computed: seed words (place, offset − 1); moving RIGHT from (0, 0) reaches (0, 3) in 3.
    seeds = np.asarray([[0, 2], [0, 4], [0, 0]], np.int32)  # goals (0, 3), (1, 0), (0, 1)
    stats = play(FakeProgram(max_steps=6), constant(4), seeds)
    assert stats.success.tolist() == [True, False, True]
    assert stats.lengths.tolist() == [3, 6, 1]
    assert stats.returns.tolist() == [1.0, 0.0, 1.0]
    assert (stats.env_steps, stats.episodes, stats.successes) == (10, 3, 2)


def test_noop_never_wins_and_a_script_repeats():
    seeds = np.asarray([[0, 5]], np.int32)  # from (0, 0) to (1, 1)
    assert not play(FakeProgram(), noop(), seeds).success[0]
    stats = play(FakeProgram(), scripted([2, 4]), seeds)
    assert stats.success[0] and stats.lengths[0] == 2
    with pytest.raises(ValueError, match="non-empty"):
        scripted([])


def test_an_early_stop_counts_as_not_won():
    program, backend = FakeProgram(), fake_numpy(FakeProgram())
    seeds = np.asarray([[0, 2]], np.int32)
    params = np.zeros((1, 0), np.float32)
    stats = play_numpy(
        backend, backend.constants(program), program, constant(4), seeds, params, max_steps=2
    )
    assert stats.lengths[0] == 2 and not stats.success[0]


@pytest.mark.parametrize("policy", [random_legal(3), numpy_policy(network_params())])
def test_episodes_do_not_depend_on_their_place_in_the_batch(policy):
    seeds = episode_seeds(7, 64)
    program = FakeProgram(max_steps=12)
    together = play(program, policy, seeds)
    order = np.random.default_rng(0).permutation(64)
    shuffled = play(program, policy, seeds[order])
    alone = play(program, policy, seeds[5:6])
    assert np.array_equal(together.lengths[order], shuffled.lengths)
    assert np.array_equal(together.success[order], shuffled.success)
    assert together.lengths[5] == alone.lengths[0]


def test_random_play_is_legal_and_uniform():
    legal = np.zeros((4096, 2, ACTIONS), bool)
    legal[:, 0, [0, 3, 7]] = True
    legal[:, 1, 19] = True
    seeds, t = episode_seeds(1, 4096), np.zeros(4096, np.int32)
    actions = random_actions(legal, seeds, t, 0)
    counts = np.bincount(actions[:, 0], minlength=ACTIONS)
    assert counts[[0, 3, 7]].sum() == 4096 and np.all(actions[:, 1] == 19)
    # Each count is binomial(4096, 1/3): standard deviation 30.
    assert np.all(np.abs(counts[[0, 3, 7]] - 4096 / 3) < 150)


def test_the_noise_is_the_same_in_numpy_and_jax():
    seeds, t = episode_seeds(3, 32), np.arange(32, dtype=np.int32)
    mine = hash_bits(seeds, t, 9, 20)
    salts = jnp.full(32, 9, jnp.uint32)
    theirs = hash_bits(jnp.asarray(seeds), jnp.asarray(t), salts, 20)
    assert np.array_equal(mine, np.asarray(theirs))
    assert np.allclose(gumbel(mine), np.asarray(gumbel(theirs, jnp)), atol=1e-5)
    # A standard Gumbel has mean 0.5772 and variance 1.645.
    many = gumbel(hash_bits(episode_seeds(4, 4096), np.zeros(4096, np.int32), 0, 20))
    assert abs(many.mean() - 0.5772) < 0.02 and abs(many.var() - 1.645) < 0.05


def test_against_gives_seat_0_to_the_policy():
    program = FakeProgram("duel", max_steps=10)
    seeds = episode_seeds(0, 32)
    up = play(program, against(constant(1), constant(2)), seeds)
    down = play(program, against(constant(2), constant(1)), seeds)
    assert up.successes == 32 and down.successes == 0


def test_save_and_load_a_policy(tmp_path):
    params = network_params()
    save_policy(tmp_path / "policy.npz", params)
    blank = Observation(
        np.zeros((8, 1, VIEW, VIEW, 6), np.uint8),
        np.zeros((8, 1, HUD), np.float32),
        np.ones((8, 1, ACTIONS), bool),
    )
    seeds, t = episode_seeds(0, 8), np.zeros(8, np.int32)
    loaded = load_policy(tmp_path / "policy.npz")
    assert np.array_equal(loaded(blank, seeds, t), numpy_policy(params)(blank, seeds, t))
    (tmp_path / "bad.npz").write_bytes(b"no policy")
    with pytest.raises(ValueError, match="not a saved policy"):
        load_policy(tmp_path / "bad.npz")
    with pytest.raises(FileNotFoundError):
        load_policy(tmp_path / "none.npz")
