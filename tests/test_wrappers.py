"""A reward of one's own, on gymnax environments and on programs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnax.environments.bsuite.deep_sea import DeepSea

from envs_dsl import Program
from envs_dsl.env import SpadeEnv
from envs_dsl.wrappers import RewardWrapper
from examples.my_environment import Catch, State

WALK = '''"""Walk right to the end of the corridor before the time is up."""
game = Game(size=(3, 6), max_steps=8, skills=["navigation"])

START = Param(2, 0, 4, harder="down")

class State:
    agent: Pos

def reset(s):
    s.agent = Pos(1, START)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.agent.col == 5:
        win()
'''
RIGHT = 4


def way(state: Any, action: Any, following: Any, reward: Any) -> Any:
    """Ten for each column won, the action in hundredths, and the old reward."""
    columns = following.inner.fields["agent"][0, 1] - state.inner.fields["agent"][0, 1]
    return 10.0 * columns + action / 100.0 + reward


def test_a_program_pays_otherwise_and_the_last_step_sees_the_last_state() -> None:
    walk = SpadeEnv(Program.from_source(WALK, "walk"))
    env = RewardWrapper(walk, way)
    key = jax.random.key(0)
    _, state = env.reset(key)
    told = []
    for _ in range(3):
        before = state
        obs, state, reward, terminated, truncated, info = env.step(key, state, RIGHT)
        told.append((round(float(reward), 3), bool(terminated), bool(info["success"])))
    # From column 2 to 5. After the last step the state is a new level's, in column 2 again.
    plain = walk.step(key, before, RIGHT)
    last = round(10.04 + float(plain[2]), 3)
    assert told[2] == (last, True, True) and last > 10.04
    assert [paid > 9 for paid, _, _ in told] == [True] * 3
    assert [end for _, end, _ in told] == [False, False, True] and not bool(truncated)
    assert int(state.time) == 0 and int(state.inner.fields["agent"][0, 1]) == 2
    others = (plain[0], plain[1], plain[3], plain[4], plain[5])
    for mine, theirs in zip(jax.tree.leaves((obs, state, terminated, truncated, info)),
                            jax.tree.leaves(others), strict=True):  # fmt: skip
        assert np.array_equal(mine, theirs)


def test_what_is_not_the_reward_is_the_wrapped_environments() -> None:
    walk = SpadeEnv(Program.from_source(WALK, "walk"))
    env = RewardWrapper(RewardWrapper(walk, way), way)
    assert (env.name, env.num_actions, env.program) == ("walk", 20, walk.program)
    assert int(env.default_params.max_steps_in_episode) == 8
    assert float(env.params_at(1.0).level[0]) == 0.0
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        env.nothing


def fall(state: State, action: Any, following: State, reward: Any) -> Any:
    return 100 * following.time + 10 * state.time + reward


def test_jit_vmap_and_scan() -> None:
    env = RewardWrapper(Catch(), fall)
    keys = jax.random.split(jax.random.key(3), 4)

    @jax.jit
    def rewards(keys: jax.Array) -> Any:
        _, states = jax.vmap(env.reset)(keys)

        def body(states: Any, _: None) -> Any:
            actions = jnp.full(4, 1)
            _, states, reward, terminated, _, _ = jax.vmap(env.step)(keys, states, actions)
            return states, (reward, terminated)

        return jax.lax.scan(body, states, None, length=10)[1]

    paid, ended = rewards(keys)
    assert paid.dtype == jnp.float32 and np.all(ended[8]) and not np.any(ended[:8])
    assert np.array_equal(paid[:8, 0], [100 * (t + 1) + 10 * t for t in range(8)])
    assert set(np.asarray(paid[8]).tolist()) <= {979.0, 981.0}  # 900 + 80, and caught or not
    assert np.array_equal(paid[9], [100.0] * 4)  # the first step of the next episode


def test_a_step_that_cannot_be_wrapped_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has a step\(\) of its own"):
        RewardWrapper(DeepSea(), fall)
