"""Roll-outs of a cohort: fresh levels, exact truncation, attribution, equality with NumPy play."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fake_backend import FakeProgram, fake_jax, fake_numpy

from envs_dsl.interface import Observation
from spade_jax.learner import Learner, LearnerConfig
from spade_jax.learner.cohort import SlotInput
from spade_jax.learner.levels import draw_levels, fold
from spade_jax.learner.network import init_params, numpy_params
from spade_jax.play import numpy_policy, play_numpy

CONFIG = LearnerConfig(
    slots=2, copies=8, cohort_size=2, rollout_length=24, levels_per_copy=3, minibatches=2, hidden=16
)


@pytest.fixture(scope="module")
def learner():
    return Learner(CONFIG, backend=fake_jax)


@pytest.fixture(scope="module")
def params(learner):
    return init_params(learner.network, jax.random.key(0))


def collect(learner, params, programs, salt=5, rollouts=1):
    """Roll-outs from blank carries; (levels, list of Collected, carries)."""
    compiled = learner.cohorts.prepare(programs)
    root = np.asarray([1, 2], np.uint32)
    levels = [draw_levels(p, CONFIG.pool_size, fold(root, k)) for k, p in enumerate(programs)]
    constants = tuple(learner.cohorts.constants(p) for p in programs)
    pools = compiled.reset(
        constants, tuple(lv.seeds for lv in levels), tuple(lv.params for lv in levels)
    )
    inputs = tuple(SlotInput(c, pool, np.int32(100)) for c, pool in zip(constants, pools))
    carries = tuple(learner.cohorts.blank(p) for p in programs)
    collected = []
    for _ in range(rollouts):
        carries, out = compiled.collect(carries, params, inputs, np.uint32(salt), np.float32(1.0))
        collected.append(jax.tree.map(np.asarray, out))
    return levels, collected, carries


def test_every_reset_is_a_fresh_level(learner, params):
    levels, (out,), _ = collect(learner, params, (FakeProgram(max_steps=7), FakeProgram("loop", 5)))
    for slot in range(2):
        seeds = levels[slot].seeds
        assert len(np.unique(seeds, axis=0)) == CONFIG.pool_size
        played = out.episodes.level[:, slot * 8 : slot * 8 + 8]
        ended = out.episodes.ended[:, slot * 8 : slot * 8 + 8]
        for copy in range(8):
            mine = played[ended[:, copy], copy] - 100
            # Copy i plays levels i, 8 + i, 16 + i, then again from the start.
            wanted = (np.arange(len(mine)) * 8 + copy) % CONFIG.pool_size
            assert mine.tolist() == wanted.tolist()


def test_a_truncated_episode_keeps_its_final_observation(learner, params):
    _, (out,), _ = collect(learner, params, (FakeProgram("loop", 5), FakeProgram("loop", 7)))
    steps = out.steps
    clock = steps.hud[..., 0]
    for slot, limit in enumerate((5, 7)):
        column = slot * 8
        # Row 0 fetches the first level; then `limit` steps and one row for the final observation.
        for row in range(1, CONFIG.rollout_length):
            phase = (row - 1) % (limit + 1)
            assert steps.valid[row, column] == (phase < limit)
            assert steps.truncated[row, column] == (phase == limit - 1)
            assert np.isclose(clock[row, column], phase / limit)
            if phase == limit:  # the final observation itself: the clock has run out
                assert clock[row, column] == 1.0 and steps.reward[row, column] == 0.0
    final = ~steps.valid
    final[0] = False
    assert final.sum() == steps.truncated[:-1].sum() > 0
    observation = Observation(*(part[final] for part in (steps.cells, steps.hud, steps.legal)))
    _, value = learner.network.apply({"params": params}, jax.tree.map(jnp.asarray, observation))
    # The row after a truncation holds the value of the final observation: the bootstrap.
    rows, cols = np.nonzero(steps.truncated[:-1])
    order = np.argsort(rows, kind="stable")
    assert np.allclose(steps.value[1:][rows[order], cols[order]], np.asarray(value), atol=1e-5)


def test_success_is_attributed_to_its_slot(learner, params):
    programs = (FakeProgram("loop", 4), FakeProgram("duel", 6))
    _, (out,), _ = collect(learner, params, programs)
    episodes = out.episodes
    assert episodes.ended[:, :8].any() and not episodes.success[:, :8].any()
    won = episodes.success[:, 8:][episodes.ended[:, 8:]]
    rewards = out.steps.reward[:, 8:][episodes.ended[:, 8:]]
    assert np.array_equal(won, rewards > 0) and 0 < won.sum() < len(won)
    assert np.all(episodes.lengths[:, :8][episodes.ended[:, :8]] == 4)
    assert np.all(episodes.lengths[:, 8:][episodes.ended[:, 8:]] == 6)
    returns = episodes.returns[:, :8][episodes.ended[:, :8]]
    assert np.allclose(returns, 0.4)


@pytest.mark.parametrize("kind", ["goal", "duel"])
def test_an_episode_is_the_same_on_numpy(learner, params, kind):
    program = FakeProgram(kind, max_steps=9)
    levels, (out,), _ = collect(learner, params, (program, program))
    backend = fake_numpy(program)
    stats = play_numpy(
        backend,
        backend.constants(program),
        program,
        numpy_policy(numpy_params(params), salt=5),
        levels[0].seeds[:8],
        levels[0].params[:8],
    )
    ended = out.episodes.ended[:, :8]
    first = np.argmax(ended, axis=0)
    assert np.array_equal(out.episodes.lengths[first, np.arange(8)], stats.lengths)
    assert np.array_equal(out.episodes.success[first, np.arange(8)], stats.success)


def test_stored_log_probabilities_are_those_of_the_policy(learner, params):
    from spade_jax.learner.network import log_prob

    _, (out,), _ = collect(learner, params, (FakeProgram(), FakeProgram("duel")))
    steps = out.steps
    observation = jax.tree.map(jnp.asarray, Observation(steps.cells, steps.hud, steps.legal))
    logits, value = learner.network.apply({"params": params}, observation)
    assert np.allclose(log_prob(logits, jnp.asarray(steps.action)), steps.log_prob, atol=1e-5)
    assert np.allclose(value, steps.value, atol=1e-5)
    assert np.all(np.take_along_axis(steps.legal, steps.action[..., None], -1)[1:])


def test_one_executable_serves_other_constants(learner, params):
    before = len(learner.cohorts)
    _, (out,), _ = collect(learner, params, (FakeProgram("loop", 3, 0.5), FakeProgram("loop", 4)))
    assert np.allclose(out.steps.reward[:, :8][out.steps.valid[:, :8]], 0.5)
    collect(learner, params, (FakeProgram("loop", 9), FakeProgram("loop", 2)))
    assert len(learner.cohorts) <= before + 1


def test_greedy_has_no_noise(learner, params):
    program = FakeProgram()
    a = learner.evaluate(params, [program], episodes=16, seed=1, greedy=True)[0]
    b = learner.evaluate(params, [program], episodes=16, seed=1, greedy=True)[0]
    c = learner.evaluate(params, [program], episodes=16, seed=1)[0]
    assert np.array_equal(a.lengths, b.lengths) and not np.array_equal(a.lengths, c.lengths)
