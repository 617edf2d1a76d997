"""The recurrent core: aligned with the episodes, the same in NumPy, resumed bit for bit, of use."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest
from fake_backend import FakeProgram, fake_jax, fake_numpy
from scipy.special import log_softmax
from test_learner_network import observations

from envs_dsl.interface import Observation
from spade_jax import checkpoint
from spade_jax.forward import Forward
from spade_jax.learner import Layout, Learner, LearnerConfig
from spade_jax.learner.cohort import SlotInput
from spade_jax.learner.levels import draw_levels
from spade_jax.learner.network import init_params, log_prob, numpy_params
from spade_jax.learner.recurrent import RecurrentPolicyValue, apply_sequence, starts
from spade_jax.play import episode_seeds, load_policy, numpy_policy, play_numpy, save_policy

CONFIG = LearnerConfig(
    slots=2,
    copies=8,
    cohort_size=2,
    rollout_length=12,
    levels_per_copy=3,
    epochs=1,
    minibatches=1,
    hidden=16,
    core="gru",
)
GOAL, LOOP, DUEL = FakeProgram(max_steps=7), FakeProgram("loop", 5), FakeProgram("duel", 4)


@pytest.fixture(scope="module")
def learner():
    return Learner(CONFIG, backend=fake_jax)


def loud(params):
    """Parameters whose log-probabilities and values depend visibly on the memory."""
    params = jax.tree.map(np.array, params)
    params["policy"]["kernel"] *= 100.0
    return params


@jax.jit
def recomputed(params, observation, memory, start, action):
    """Log-probabilities and values as the update computes them."""
    network = RecurrentPolicyValue(CONFIG.hidden, CONFIG.cell_embedding)
    logits, value = apply_sequence(network, params, observation, memory, start)
    return log_prob(logits, action), value


def replayed(forward, collected, memory):
    """Log-probabilities, values and the last memory of a roll-out, recomputed row by row in NumPy.

    An episode's first observation is told by its clock, the first number of the fake games' hud.
    """
    steps = collected.steps
    probs, values = [], []
    for t in range(len(steps.reward)):
        memory = np.where(steps.hud[t, :, :1] == 0.0, 0.0, memory).astype(np.float32)
        observation = Observation(steps.cells[t], steps.hud[t], steps.legal[t])
        logits, value, memory = forward.step(observation, memory)
        probs.append(log_softmax(logits, axis=-1))
        values.append(value)
    probs = np.take_along_axis(np.stack(probs), steps.action[..., None], axis=-1)[..., 0]
    return probs, np.stack(values), memory


def test_replay_gives_what_the_rollout_stored(learner):
    old, new = Layout((GOAL, LOOP), 2), Layout((GOAL, DUEL), 2)
    state = learner.init(0, old)
    params = loud(state.params)
    state = state._replace(params=params)
    forward = Forward(numpy_params(params))
    memory = np.zeros((16, 16), np.float32)
    seen = set()
    for round_, layout in enumerate((old, old, new, new)):
        if round_ == 2:  # a newcomer in slot 1, the episodes of slot 0 go on
            state = learner.set_layout(state, old, new)
        carries, (collected,) = learner.collect(state, layout)
        collected = jax.tree.map(np.asarray, collected)
        steps = collected.steps
        probs, values, memory = replayed(forward, collected, memory)
        assert np.abs(probs - steps.log_prob).max() < 1e-4
        assert np.abs(values - steps.value).max() < 1e-4
        # What the update recomputes, from the stored memory and its own account of the starts.
        observation = Observation(steps.cells, steps.hud, steps.legal)
        start = np.asarray(starts(steps))
        again_p, again = recomputed(params, observation, collected.memory, start, steps.action)
        assert np.abs(again_p - steps.log_prob).max() < 1e-4
        assert np.abs(again - steps.value).max() < 1e-4
        # The value after the last row: that of a final observation where time ran out in it.
        clock = np.concatenate([c.observation.hud[:, 0, 0] for c in carries])
        kept = np.where(clock[:, None] == 0.0, 0.0, memory).astype(np.float32)
        cells, hud, legal = (
            np.concatenate([np.asarray(part[:, 0]) for part in parts])
            for parts in zip(*(c.observation for c in carries), strict=True)
        )
        _, last, _ = forward.step(Observation(cells, hud, legal), kept)
        assert np.abs(last - collected.last_value).max() < 1e-4
        state = state._replace(carries=carries, iteration=state.iteration + 1)
        ends = {"terminated": steps.terminated, "truncated": steps.truncated}
        seen |= {name for name, rows in ends.items() if rows.any()}
        seen |= {"cut last"} if steps.truncated[-1].any() else set()
        if round_ % 2:  # running episodes were carried over, with a memory
            assert np.abs(collected.memory[(steps.hud[0, :, 0] > 0)]).max() > 0.1
    assert seen == {"terminated", "truncated", "cut last"}


def test_the_first_update_starts_from_the_rollouts_own_policy(learner):
    # One minibatch, one epoch: the ratio is 1 in every row, if the update replays the roll-out.
    layout = Layout((GOAL, LOOP), 2)
    state = learner.init(1, layout)
    state = state._replace(params=loud(state.params))
    for _ in range(3):
        state, metrics = learner.train_iteration(state, layout)
        assert abs(metrics.losses["kl"]) < 1e-6 and metrics.losses["clipped"] == 0.0
        assert metrics.losses["grad_norm"] > 0.0


def test_numpy_equals_flax_over_sequences():
    network = RecurrentPolicyValue()
    params = jax.jit(init_params, static_argnums=0)(network, jax.random.key(0))
    rows, width = 9, 6
    observation = Observation(
        *(part.reshape(rows, width, *part.shape[1:]) for part in observations(rows * width))
    )
    start = np.random.default_rng(1).random((rows, width)) < 0.2
    memory = np.random.default_rng(2).normal(size=(width, 128)).astype(np.float32)
    apply = jax.jit(network.apply)
    logits, value, last = apply({"params": params}, observation, memory, start)
    forward = Forward(numpy_params(params))
    assert forward.recurrent and not forward.blank(3).any() and forward.blank(3).shape == (3, 128)
    for t in range(rows):
        memory[start[t]] = 0.0
        row = Observation(*(part[t] for part in observation))
        mine, mine_value, memory = forward.step(row, memory)
        assert np.abs(np.asarray(logits[t]) - mine)[row.legal].max() < 1e-4
        assert np.abs(np.asarray(value[t]) - mine_value).max() < 1e-4
    assert np.abs(np.asarray(last) - memory).max() < 1e-4


def play(program, policy, seeds):
    backend = fake_numpy(program)
    params = np.zeros((len(seeds), 0), np.float32)
    return play_numpy(backend, backend.constants(program), program, policy, seeds, params)


@pytest.mark.parametrize("program", [GOAL, DUEL])
def test_an_episode_is_the_same_on_numpy(learner, program):
    params = loud(learner.init(0, Layout((GOAL, LOOP), 2)).params)
    compiled = learner.cohorts.prepare((program, program))
    levels = draw_levels(program, CONFIG.pool_size, np.asarray([1, 2], np.uint32))
    constants = learner.cohorts.constants(program)
    pools = compiled.reset((constants,) * 2, (levels.seeds,) * 2, (levels.params,) * 2)
    inputs = tuple(SlotInput(constants, pool, np.int32(0)) for pool in pools)
    carries = (learner.cohorts.blank(program),) * 2
    _, out = compiled.collect(carries, params, inputs, np.uint32(5), np.float32(1.0))
    stats = play(program, numpy_policy(numpy_params(params), salt=5), levels.seeds[:8])
    ended = np.asarray(out.episodes.ended)[:, :8]
    first = np.argmax(ended, axis=0)
    assert ended.any(axis=0).all()
    lengths, success = np.asarray(out.episodes.lengths), np.asarray(out.episodes.success)
    assert np.array_equal(lengths[first, np.arange(8)], stats.lengths)
    assert np.array_equal(success[first, np.arange(8)], stats.success)


def test_memories_follow_their_episodes_when_finished_ones_are_dropped(tmp_path):
    network = RecurrentPolicyValue(hidden=16, cell_embedding=4)
    params = jax.jit(init_params, static_argnums=0)(network, jax.random.key(3))
    params = numpy_params(loud(params))
    save_policy(tmp_path / "policy.npz", params)
    policy = load_policy(tmp_path / "policy.npz")
    seeds, program = episode_seeds(7, 64), FakeProgram(max_steps=30)
    together = play(program, policy, seeds)
    assert len(set(together.lengths.tolist())) > 5  # so that the batch shrinks again and again
    order = np.random.default_rng(0).permutation(64)
    assert np.array_equal(together.lengths[order], play(program, policy, seeds[order]).lengths)
    for i in np.argsort(together.lengths)[-3:]:
        assert play(program, policy, seeds[i : i + 1]).lengths[0] == together.lengths[i]


def test_resuming_is_bit_exact(learner, tmp_path):
    layout = Layout((GOAL, LOOP), 2)
    state = learner.init(3, layout)
    for _ in range(2):
        state, _ = learner.train_iteration(state, layout)
    assert np.abs(np.asarray(state.carries[0].memory)).max() > 0.0
    checkpoint.save(tmp_path, 1, state, {})
    state, told = learner.train_iteration(state, layout)
    other = Learner(CONFIG, backend=fake_jax)
    again = checkpoint.restore(tmp_path, other.template(layout)).arrays
    again, metrics = other.train_iteration(again, layout)
    assert metrics.losses == told.losses
    assert jax.tree.structure(again) == jax.tree.structure(state)
    for one, two in zip(jax.tree.leaves(again), jax.tree.leaves(state)):
        assert np.array_equal(np.asarray(one), np.asarray(two))


def test_settings_are_checked():
    plain = dataclasses.replace(CONFIG, core="none")
    assert Learner(plain, backend=fake_jax).cohorts.blank(GOAL).memory == ()
    with pytest.raises(ValueError, match="minibatches 3 does not divide the 16 environments"):
        dataclasses.replace(CONFIG, minibatches=3)
    with pytest.raises(ValueError, match="'none' or 'gru'"):
        dataclasses.replace(CONFIG, core="lstm")
