"""Difficulty that follows success: the rule, and the gymnasium wrapper around it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs_dsl import Program
from envs_dsl.adaptive import AdaptiveConfig, AdaptiveState, start, update

CONFIG = AdaptiveConfig()

WALK = '''"""Walk right to the end of the corridor before the time is up; the left end is a pit."""
game = Game(size=(3, 9), max_steps=9, skills=["navigation"])

START = Param(4, 1, 7, harder="down")

class State:
    agent: Pos

def reset(s):
    s.agent = Pos(1, START)

def step(s, act):
    s.agent = s.agent + act.move
    if s.agent.col == 8:
        win()
    if s.agent.col == 0:
        lose()
'''
LEFT, RIGHT = 3, 4


def played(state: AdaptiveState, wins: int, of: int, config: AdaptiveConfig = CONFIG) -> float:
    """The difficulty after ``of`` episodes, the first ``wins`` of them won."""
    for i in range(of):
        state = update(state, i < wins, config)
    return state.difficulty


# --- the rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wins", "after"),
    [
        (20, 0.48),  # × 1.2
        (17, 0.48),
        (16, 0.4),  # 0.8 is not above 0.8
        (6, 0.4),  # 0.3 is not below 0.3
        (5, 0.36),  # × 0.9
        (0, 0.36),
    ],
)
def test_the_factors_at_their_thresholds(wins: int, after: float) -> None:
    assert played(AdaptiveState(0.4), wins, 20) == pytest.approx(after)


def test_nothing_changes_before_the_window_is_full_and_it_starts_afresh_after_a_change() -> None:
    state = AdaptiveState(0.4)
    for _ in range(19):
        state = update(state, True)
    assert state.difficulty == 0.4 and state.success_rate == 1.0
    state = update(state, True)
    assert state == AdaptiveState(pytest.approx(0.48), (), 20)
    assert state.success_rate is None


def test_the_window_slides_where_nothing_changes() -> None:
    state = AdaptiveState(0.4)
    for success in [False] * 6 + [True] * 14:
        state = update(state, success)
    assert state.difficulty == 0.4
    for _ in range(2):  # 14, 15 and then 16 of the last 20: not above 0.8
        state = update(state, True)
    assert state.difficulty == 0.4
    state = update(state, True)  # 17 of 20
    assert state.difficulty == pytest.approx(0.48)


def test_no_cliffs_and_no_crawling_at_the_ends() -> None:
    assert played(AdaptiveState(0.8), 20, 20) == pytest.approx(0.9)  # not 0.96
    assert played(AdaptiveState(0.0), 20, 20) == pytest.approx(0.02)  # not 0
    assert played(AdaptiveState(0.95), 20, 20) == 1.0
    assert played(AdaptiveState(0.01), 0, 20) == 0.0


def test_nineteen_raises_from_easiest_to_hardest() -> None:
    state, raises = AdaptiveState(0.0), 0
    while state.difficulty < 1:
        state = update(state, True)
        raises += not state.recent
    assert raises == 19


def test_every_number_is_a_setting() -> None:
    config = AdaptiveConfig(2, 0.1, 0.4, 2.0, 0.5, 0.2, 0.7, 0.3, 0.01, 1.0)
    assert start(config).difficulty == 0.3
    assert played(start(config), 1, 2, config) == pytest.approx(0.6)
    assert played(AdaptiveState(0.6), 1, 2, config) == 0.7
    assert played(AdaptiveState(0.6), 0, 2, config) == pytest.approx(0.3)
    assert played(AdaptiveState(0.3), 0, 2, config) == 0.2


@settings(deadline=None)
@given(st.lists(st.booleans(), max_size=200), st.floats(0, 1), st.integers(1, 10))
def test_it_stays_in_bounds_and_moves_by_small_steps(
    successes: list[bool], first: float, window: int
) -> None:
    config = AdaptiveConfig(window=window, lowest=0.0, highest=0.9, initial=0.1)
    state = AdaptiveState(min(first, 0.9))
    for success in successes:
        following = update(state, success, config)
        assert 0 <= following.difficulty <= 0.9
        assert abs(following.difficulty - state.difficulty) <= 0.1 + 1e-12
        assert len(following.recent) <= window
        state = following
    assert state.episodes == len(successes)


def test_a_checkpoint_goes_on_as_if_nothing_had_happened() -> None:
    state = update(update(start(), True), False)
    read = AdaptiveState.from_json(json.loads(json.dumps(state.as_json())))
    assert read == state and update(read, True) == update(state, True)
    for document in ({}, {"difficulty": 2, "recent": [], "episodes": 0}, {"difficulty": "x"}):
        with pytest.raises(ValueError, match="not a state of the adaptive difficulty"):
            AdaptiveState.from_json(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"window": 0}, "window must be 1 or more"),
        ({"low": 0.9}, "0 <= low < high <= 1"),
        ({"raise_by": 1.0}, "raise_by > 1 > lower_by"),
        ({"initial": 0.95, "highest": 0.9}, "lowest <= initial <= highest"),
        ({"least_change": 0.2}, "least_change <= most_change"),
    ],
)
def test_contradictions_are_told(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(CONFIG, **change)


# --- the wrapper ------------------------------------------------------------------------------

FAST = AdaptiveConfig(window=2)


def told(env: Any, action: int, episodes: int) -> list[float]:
    """``info["difficulty"]`` of whole episodes in which the player always does the same."""
    found = []
    for _ in range(episodes):
        _, info = env.reset()
        found.append(info["difficulty"])
        ended = False
        while not ended:
            *_, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
            assert info["difficulty"] == found[-1]
    return found


def test_a_winner_raises_the_difficulty_and_a_loser_lowers_it() -> None:
    pytest.importorskip("gymnasium")
    from envs_dsl.adapters import make_adaptive

    program = Program.from_source(WALK, "walk")
    env = make_adaptive(program, FAST)
    up = told(env, RIGHT, 6)
    assert up == pytest.approx([0.25, 0.25, 0.3, 0.3, 0.36, 0.36])
    down = told(env, LEFT, 5)
    assert down == pytest.approx([0.432, 0.432, 0.3888, 0.3888, 0.34992])
    # the difficulty is that of the level: the start moves away from the goal
    columns = []
    for difficulty in (0.0, 0.5, 1.0):
        env.state = AdaptiveState(difficulty)
        _, info = env.reset()
        columns.append(int(info["level"]["params"][0]))
    assert columns == [7, 4, 1]


def test_a_registered_one_adapts_too() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    import envs_dsl.adapters  # noqa: F401

    env = gymnasium.make("Spade/Adaptive-Rooms-v0", config=AdaptiveConfig(window=1))
    assert told(env, 0, 3) == pytest.approx([0.25, 0.225, 0.2025])  # standing still never wins


def test_what_does_not_count() -> None:
    pytest.importorskip("gymnasium")
    from envs_dsl.adapters import make_adaptive

    env = make_adaptive(Program.from_source(WALK, "walk"), AdaptiveConfig(window=1))
    before = env.state
    env.reset(seed=0)
    env.step(RIGHT)
    env.reset(seed=0)  # broken off
    assert env.state == before
    _, info = env.reset(options={"difficulty": 0.0})
    assert info["difficulty"] == 0.0
    assert env.step(RIGHT)[2] and env.state == before  # won at once, at a chosen difficulty
    env.reset(options={"params": {"START": 7}})
    assert env.step(RIGHT)[2] and env.state == before


# --- a batch ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_batch_shares_one_difficulty(mode: str) -> None:
    """All copies walk alike and end in one step, so two episodes at a time fill the window."""
    pytest.importorskip("gymnasium")
    from envs_dsl.adapters import make_adaptive_vec

    program = Program.from_source(WALK, "walk")
    envs = make_adaptive_vec(program, 3, FAST, autoreset_mode=mode)

    def told(action: int, ends: int) -> list[float]:
        found = []
        while len(found) < ends:
            *_, terminated, truncated, info = envs.step(np.full(3, action))
            if terminated[0] or truncated[0]:
                assert terminated.all()
                found.append(envs.state.difficulty)
                last = info.get("final_info", info)["difficulty"]
                assert (last == last[0]).all()
        return found

    _, info = envs.reset(seed=0)
    assert info["difficulty"].tolist() == [0.25] * 3
    up = told(RIGHT, 3)
    # NextStep: the levels that follow are of the new difficulty. SameStep: they had begun before.
    rises = {"NextStep": [0.3, 0.36, 0.432], "SameStep": [0.3, 0.3, 0.36]}
    assert up == pytest.approx(rises[mode])
    down = told(LEFT, 4)
    assert down[-1] < up[-1] and down == sorted(down, reverse=True)


def test_the_registered_batch_starts_levels_at_the_new_difficulty() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    import envs_dsl.adapters  # noqa: F401

    config = AdaptiveConfig(window=1)
    envs = gymnasium.make_vec("Spade/Adaptive-Rooms-v0", num_envs=2, config=config)
    _, info = envs.reset(seed=0)
    assert info["difficulty"].tolist() == [0.25, 0.25]
    for _ in range(101):  # standing still: both end at the limit of 100 steps, then begin anew
        *_, info = envs.step(np.zeros(2, int))
    # the first copy lowered it; the second had been playing at the old one
    assert info["difficulty"].tolist() == pytest.approx([0.225, 0.225])
    own = gymnasium.make_vec("Spade/Adaptive-Rooms-v0", num_envs=2, vectorization_mode="sync")
    assert own.reset(seed=0)[1]["difficulty"].tolist() == [0.25, 0.25]
