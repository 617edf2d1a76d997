"""Programs as gymnax environments."""

from __future__ import annotations

import gymnax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs_dsl import Program
from envs_dsl.backends import numpy_backend
from envs_dsl.env import SpadeEnv, make

WALK = '''"""Walk right to the end of the corridor before the time is up."""
game = Game(size=(3, 6), max_steps=8, skills=["navigation"])

START = Param(2, 0, 4, harder="down")

class State:
    agent: Pos

def reset(s):
    s.agent = Pos(1, START)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    reward(0.125)
    if s.agent.col == 5:
        win()
'''
RIGHT, STAY, FLIP = 4, 0, 19


@pytest.fixture(scope="module")
def walk() -> SpadeEnv:
    return SpadeEnv(Program.from_source(WALK, "walk"))


def test_is_a_gymnax_environment_with_six_values(walk: SpadeEnv) -> None:
    assert isinstance(walk, gymnax.environments.environment.Environment)
    key = jax.random.key(0)
    obs, state = walk.reset(key)
    result = walk.step(key, state, RIGHT)
    assert len(result) == 6
    space = walk.observation_space(walk.default_params)
    assert bool(space.contains(obs))
    assert walk.num_actions == walk.action_space(walk.default_params).n == 20
    assert walk.name == "walk"


def test_win_terminates_keeps_the_final_observation_and_resets(walk: SpadeEnv) -> None:
    key = jax.random.key(1)
    first, state = walk.reset(key)
    for t in range(3):
        obs, state, reward, terminated, truncated, info = walk.step(key, state, RIGHT)
        assert bool(terminated) == (t == 2) and not bool(truncated)
    assert bool(info["success"]) and int(info["outcome"]) == 1
    # the episode pays at most 1 altogether: 2 × 0.125 before, then shaping and the win
    assert float(reward) == pytest.approx(0.75)
    assert float(info["score"]) == pytest.approx(1.375)
    final = info["final_observation"]
    assert float(final.hud[0]) == pytest.approx(3 / 8) and int(state.time) == 0
    assert np.array_equal(obs.cells, first.cells)


def test_time_limit_truncates_without_terminating(walk: SpadeEnv) -> None:
    key = jax.random.key(2)
    _, state = walk.reset(key)
    for _ in range(8):
        _, state, _, terminated, truncated, info = walk.step(key, state, STAY)
    assert bool(truncated) and not bool(terminated) and not bool(info["success"])
    assert bool(info["truncated"]) and not bool(info["terminated"])


def test_illegal_actions_act_as_stay_and_are_counted(walk: SpadeEnv) -> None:
    key = jax.random.key(3)
    obs, state = walk.reset(key)
    assert np.flatnonzero(obs.legal).tolist() == [0, 1, 2, 3, 4]
    _, flipped, *_, info = walk.step(key, state, FLIP)
    _, stayed, *_ = walk.step(key, state, STAY)
    assert int(info["illegal"]) == 1
    assert np.array_equal(flipped.inner.fields["agent"], stayed.inner.fields["agent"])


def test_difficulty_moves_levels_without_compiling_again(walk: SpadeEnv) -> None:
    key = jax.random.key(4)
    walk.reset(key, walk.params_at(0.5))
    compiled = walk.reset._cache_size()  # type: ignore[attr-defined]
    columns = []
    for difficulty in (0.0, 0.5, 1.0):
        params = walk.params_at(difficulty)
        _, state = walk.reset(key, params)
        columns.append(int(state.inner.fields["agent"][0, 1]))
        *_, info = walk.step(key, state, STAY, params)
        assert float(info["difficulty"]) == difficulty
    assert columns == [4, 2, 0]
    assert walk.reset._cache_size() == compiled  # type: ignore[attr-defined]


def test_jit_vmap_scan_equals_the_numpy_back_end() -> None:
    env, params = make("key_door")
    keys = jax.random.split(jax.random.key(5), 4)
    actions = jax.random.randint(jax.random.key(6), (20, 4), 0, 5)

    @jax.jit
    def rollout(keys, actions):  # type: ignore[no-untyped-def]
        _, state = jax.vmap(env.reset_env, (0, None))(keys, params)

        def body(state, action):  # type: ignore[no-untyped-def]
            obs, state, reward, terminated, _ = jax.vmap(env.step_env, (0, 0, 0, None))(
                keys, state, action, params
            )
            return state, (obs, reward, terminated)

        return jax.lax.scan(body, state, actions)[1]

    obs, reward, terminated = rollout(keys, actions)
    program = env.program
    backend = numpy_backend(program)
    constants = backend.constants(program)
    seeds = np.asarray(jax.random.key_data(keys)).view(np.int32)
    state = backend.reset(constants, seeds, np.tile(program.default_params(), (4, 1)))
    for t in range(20):
        state, out = backend.step(constants, state, np.asarray(actions[t])[:, None])
        want = backend.observe(constants, state)
        assert np.array_equal(obs.cells[t], want.cells[:, 0])
        assert np.allclose(obs.hud[t], want.hud[:, 0], atol=1e-5)
        assert np.allclose(reward[t], out.reward[:, 0], atol=1e-5)
        assert np.array_equal(terminated[t], out.terminated)


def test_a_contest_is_a_one_player_game_against_random_play() -> None:
    env, params = make("scramble")
    key = jax.random.key(7)
    obs, state = env.reset(key, params)
    assert obs.cells.shape == (9, 9, 6) and obs.hud.shape == (152,)
    rivals = []
    for _ in range(6):
        obs, state, reward, *_ = env.step(key, state, STAY, params)
        assert reward.shape == ()
        rivals.append(int(state.inner.last_action[0, 1]))
        assert int(state.inner.last_action[0, 0]) == STAY
    assert len(set(rivals)) > 1 and max(rivals) < 5
    _, again = env.reset(key, params)
    for rival in rivals:
        _, again, *_ = env.step(jax.random.key(99), again, STAY, params)
        assert int(again.inner.last_action[0, 1]) == rival


def test_legacy_keys_and_other_generators_are_fine(walk: SpadeEnv) -> None:
    for key in (jax.random.PRNGKey(0), jax.random.key(0, impl="rbg")):
        obs, _ = walk.reset(key)
        assert obs.hud.dtype == jnp.float32


def test_unknown_names_are_told_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean 'key_door'"):
        make("keydoor")
