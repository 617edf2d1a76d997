"""The learner as a whole: it learns, resumes bit for bit, and survives bad programs."""

from __future__ import annotations

import threading

import jax
import numpy as np
import pytest
from fake_backend import FakeProgram, fake_jax

from envs_dsl import Program
from spade_jax.learner import Layout, Learner, LearnerConfig, capability_profile
from spade_jax.learner.evaluate import place

CONFIG = LearnerConfig(
    slots=4,
    copies=16,
    cohort_size=2,
    rollout_length=16,
    minibatches=4,
    hidden=64,
    learning_rate=2e-3,
)
EASY = [FakeProgram(name="a", max_steps=10), FakeProgram(name="b", max_steps=12)]


@pytest.fixture(scope="module")
def learner():
    return Learner(CONFIG, backend=fake_jax)


def snapshot(state):
    """The state as NumPy arrays of its own, what a checkpoint holds."""
    return jax.tree.map(lambda leaf: np.array(leaf, copy=True), state)


def assert_same(a, b):
    leaves, others = jax.tree.leaves(a), jax.tree.leaves(b)
    assert len(leaves) == len(others)
    for one, other in zip(leaves, others):
        assert np.array_equal(np.asarray(one), np.asarray(other))


def test_it_solves_a_small_game(learner):
    layout = learner.arrange(EASY)
    state = learner.init(0, layout)
    before = learner.evaluate(state.params, EASY, layout=layout, seed=1)
    for _ in range(40):
        state, metrics = learner.train_iteration(state, layout)
    after = learner.evaluate(state.params, EASY, layout=layout, seed=1)
    for start, end in zip(before, after):
        assert start.episodes >= 256 and start.successes / start.episodes < 0.6
        assert end.successes / end.episodes > 0.9
    assert metrics.iteration == 40 and metrics.unhealthy == ()
    assert int(state.env_steps) > 40 * 0.8 * 4 * 16 * 16


def test_resuming_is_bit_exact(learner):
    layout = learner.arrange([*EASY, FakeProgram("duel", 6)])
    state = learner.init(3, layout)
    for _ in range(3):
        state, _ = learner.train_iteration(state, layout)
    saved = snapshot(state)
    told = []
    for _ in range(3):
        state, metrics = learner.train_iteration(state, layout)
        told.append(metrics.losses)
    # Another process: a new learner, and the saved arrays put into its own structure.
    other = Learner(CONFIG, backend=fake_jax)
    template = other.template(layout)
    assert jax.tree.structure(template) == jax.tree.structure(saved)
    again = jax.tree.unflatten(jax.tree.structure(template), jax.tree.leaves(saved))
    for losses in told:
        again, metrics = other.train_iteration(again, layout)
        assert metrics.losses == losses
    assert_same(again, state)


def test_a_new_layout_keeps_the_running_episodes_of_those_that_stay(learner):
    old = learner.arrange([*EASY, FakeProgram("duel", 6), FakeProgram("loop", 9)])
    state = learner.init(0, old)
    state, _ = learner.train_iteration(state, old)
    new = Layout((*old.programs[:3], FakeProgram("goal", 30, name="new")), 2)
    moved = [s for s in range(4) if old.hashes[s] != new.hashes[s]]
    kept = snapshot(state)
    after = learner.set_layout(state, old, new)
    assert len(moved) == 1
    for slot in range(4):
        if slot in moved:
            assert np.all(after.carries[slot].pending)
        else:
            assert_same(after.carries[slot], kept.carries[slot])
    after, metrics = learner.train_iteration(after, new)
    assert metrics.slots[moved[0]].steps == 15 * 16  # its first row only fetched a level


def test_a_poisoned_program_costs_only_itself(learner):
    good = learner.arrange(EASY)
    bad = Layout((*good.programs[:3], FakeProgram("poison")), 2)
    state = learner.init(0, bad)
    for _ in range(3):
        state, metrics = learner.train_iteration(state, bad)
    assert [s.healthy for s in metrics.slots] == [True, True, True, False]
    assert metrics.unhealthy == (bad.hashes[3],)
    assert all(np.all(np.isfinite(leaf)) for leaf in jax.tree.leaves(state.params))
    assert all(np.isfinite(value) for value in metrics.losses.values())


def test_evaluation_is_the_same_whatever_is_evaluated_beside(learner):
    layout = learner.arrange([*EASY, FakeProgram("duel", 6), FakeProgram("loop", 9)])
    params = learner.init(5, layout).params
    both = learner.evaluate(params, EASY, episodes=64, seed=9)
    one = learner.evaluate(params, EASY[1:], episodes=64, seed=9)
    assert sorted(both[1].lengths) == sorted(one[0].lengths)
    assert both[1].successes == one[0].successes
    other = learner.evaluate(params, EASY[1:], episodes=64, seed=10)
    assert sorted(both[1].lengths) != sorted(other[0].lengths)


def test_evaluation_plays_every_episode_to_its_end(learner):
    # Two kinds of length in one cohort; all levels distinct; the count is exact.
    programs = [FakeProgram("loop", 3), FakeProgram("loop", 50), FakeProgram("duel", 7)]
    params = learner.init(0, learner.arrange(programs)).params
    stats = learner.evaluate(params, programs, episodes=100)
    assert [s.episodes for s in stats] == [112, 112, 112]  # 7 episodes in each of 16 copies
    for s, length in zip(stats, (3, 50, 7)):
        assert np.all(s.lengths == length) and s.env_steps >= s.lengths.sum()


def test_placement_uses_the_layouts_cohorts():
    p = [FakeProgram(name=str(i)) for i in range(7)]
    layout = Layout((p[0], p[1], p[2], p[2]), 2)
    assert place([p[2], p[5], p[6], p[4]], 2, layout) == ((p[2], p[2]), (p[5], p[6]), (p[4],))
    assert place([p[0], p[1]], 2, layout) == ((p[0], p[1]),)


def test_episodes_of_like_length_are_evaluated_together():
    long, short, longer, shorter = (FakeProgram("loop", limit) for limit in (40, 9, 50, 3))
    assert place([long, short, longer, shorter], 2, None) == ((shorter, short), (long, longer))


def test_an_evaluation_can_be_stopped_in_all_its_cohorts(learner):
    programs = [FakeProgram("loop", limit) for limit in (3, 7, 50)]
    params = learner.init(0, learner.arrange(programs)).params
    asked = iter([False, False, True])
    with pytest.raises(KeyboardInterrupt):
        learner.evaluate(params, programs, episodes=100, stop=lambda: next(asked, True))


def test_compiling_is_shared_between_threads_and_forgotten():
    learner = Learner(CONFIG, backend=fake_jax)
    programs = (FakeProgram("goal"), FakeProgram("loop"))
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(learner.cohorts.prepare(programs)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1] is found[2] and learner.compile_seconds > 0
    learner.cohorts.clear()
    assert len(learner.cohorts) == 0


def test_old_executables_are_evicted():
    config = LearnerConfig(slots=1, copies=4, cohort_size=1, minibatches=1, hidden=8, cache_size=2)
    learner = Learner(config, backend=fake_jax)
    for kind in ("goal", "loop", "duel"):
        learner.cohorts.prepare((FakeProgram(kind),))
    assert len(learner.cohorts) == 2
    first = learner.cohorts.prepare((FakeProgram("duel"),))
    assert learner.cohorts.prepare((FakeProgram("duel", 3),)) is first


def test_a_failing_program_raises_and_can_be_tried_again():
    fail = [True]

    def backend(program):
        if fail[0]:
            raise RuntimeError("no such program")
        return fake_jax(program)

    config = LearnerConfig(slots=1, copies=4, cohort_size=1, minibatches=1, hidden=8)
    learner = Learner(config, backend=backend)
    with pytest.raises(RuntimeError, match="no such program"):
        learner.cohorts.prepare((FakeProgram(),))
    fail[0] = False
    assert learner.cohorts.prepare((FakeProgram(),)).seconds > 0


def test_four_thousand_copies():
    config = LearnerConfig(slots=16, copies=256, rollout_length=4, minibatches=4, epochs=1)
    learner = Learner(config, backend=fake_jax)
    layout = learner.arrange(EASY)
    _, metrics = learner.train_iteration(learner.init(0, layout), layout)
    assert config.batch == 4096 and metrics.env_steps == 3 * 4096


def test_settings_are_checked():
    with pytest.raises(ValueError, match="cohort_size 3 does not divide"):
        LearnerConfig(cohort_size=3)
    with pytest.raises(ValueError, match="minibatches 7 does not divide"):
        LearnerConfig(minibatches=7)
    with pytest.raises(ValueError, match=r"gamma is 1\.5"):
        LearnerConfig(gamma=1.5)
    with pytest.raises(ValueError, match="slots is 0"):
        LearnerConfig(slots=0)
    learner = Learner(CONFIG, backend=fake_jax)
    with pytest.raises(ValueError, match="the layout has 2 slots in cohorts of 1"):
        learner.init(0, Layout(tuple(EASY), 1))


def test_profile_pools_by_skill():
    profile = capability_profile(
        [(("navigation", "memory"), 30, 100), (("navigation",), 70, 100), (("puzzle",), 0, 0)]
    )
    assert [e.skill for e in profile] == ["memory", "navigation"]
    memory, navigation = profile
    assert navigation.mean == pytest.approx(101 / 202)
    assert (navigation.programs, navigation.episodes) == (2, 200)
    # Beta(31, 71): 95 % interval from tables of the incomplete beta function.
    assert memory.mean == pytest.approx(31 / 102)
    assert memory.low == pytest.approx(0.219, abs=0.003)
    assert memory.high == pytest.approx(0.396, abs=0.003)
    with pytest.raises(ValueError, match="3 successes of 2"):
        capability_profile([(("memory",), 3, 2)])


def test_programs_that_differ_in_names_alone_keep_their_states_apart():
    """One skeleton, and states that are kept by name: neither may be given the other's."""
    text = '''"""Walk to the corner before the strength is gone."""
game = Game(size=(3, 3), max_steps=9)
class State:
    agent: Pos
    strength: Int(0, 9) = 9
def reset(s):
    s.agent = Pos(0, 0)
def step(s, act):
    s.agent += act.move
    s.strength -= 1
    if s.agent == Pos(2, 2) and s.strength > 0:
        win()
'''
    programs = [Program.from_source(text.replace("strength", name)) for name in ("food", "air")]
    assert programs[0].hashes == programs[1].hashes
    cohorts = Learner(CONFIG).cohorts
    for program, name in zip(programs, ("food", "air")):
        assert set(cohorts.blank(program).state.fields) == {"agent", name}
    assert programs[0].executable != programs[1].executable
