"""Programs as gymnasium environments."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from envs_dsl import Program, library
from envs_dsl.backends import numpy_backend

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import envs_dsl.adapters as adapters  # noqa: E402

NAMES = tuple(library.bundled())
LEFT, RIGHT, STAY, FLIP = 3, 4, 0, 19

WALK = '''"""Walk right to the end of the corridor before the time is up; the left end is a pit."""
game = Game(size=(3, 6), max_steps=6, skills=["navigation"])

START = Param(2, 0, 4, harder="down")

class State:
    agent: Pos

def reset(s):
    s.agent = Pos(1, START)

def step(s, act):
    s.agent = s.agent + act.move
    if s.agent.col == 5:
        win()
    if s.agent.col < 0:
        lose()
'''


@pytest.fixture
def walk() -> Program:
    return Program.from_source(WALK, "walk")


def same(a: Any, b: Any) -> bool:
    """Equal in value, shape and type, whatever it is nested in."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, np.ndarray):
        if a.dtype == object:
            return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


# --- names ------------------------------------------------------------------------------------


def test_every_bundled_program_has_an_id_of_its_own() -> None:
    root = pathlib.Path(library.__file__).parent
    assert len(NAMES) == len(list(root.glob("*/*.py")))
    assert adapters.env_id("key_door") == "Spade/KeyDoor-v0"
    assert adapters.env_id("ice", adaptive=True) == "Spade/Adaptive-Ice-v0"
    ids = (*adapters.env_ids(), *adapters.env_ids(adaptive=True))
    assert len(set(ids)) == 2 * len(NAMES) and set(ids) <= set(gymnasium.registry)


def test_making_one_by_its_full_name_loads_neither_jax_nor_other_programs() -> None:
    code = (
        "import sys, gymnasium\n"
        "env = gymnasium.make('envs_dsl.adapters:Spade/KeyDoor-v0')\n"
        "env.reset(seed=0); env.step(1)\n"
        "assert env.unwrapped.program.name == 'key_door'\n"
        "assert not {'jax', 'gymnax', 'flax'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_files_and_programs(tmp_path: pathlib.Path, walk: Program) -> None:
    file = tmp_path / "my_walk.py"
    file.write_text(WALK, encoding="utf-8")
    for program in (walk, file, str(file)):
        env = adapters.make(program)
        assert env.program == walk
        assert adapters.make_vec(program, 3).num_envs == 3
    assert adapters.make("key_door").program.name == "key_door"
    with pytest.raises(ValueError, match="'keydoor': did you mean 'key_door'"):
        adapters.make("keydoor")
    with pytest.raises(OSError, match="nowhere"):
        adapters.make(tmp_path / "nowhere.py")


# --- the contract -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_own_check_passes_without_a_warning(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(adapters.env_id(name)).unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_observations_stay_in_the_space(name: str) -> None:
    envs = adapters.make_vec(name, 8, difficulty=np.linspace(0, 1, 8))
    rng = np.random.default_rng(3)
    low = np.asarray(envs.single_observation_space["hud"].low)
    high = np.asarray(envs.single_observation_space["hud"].high)
    envs.reset(seed=1)
    backend = numpy_backend(envs.program)
    for _ in range(min(envs.program.game.max_steps + 2, 50)):
        obs, reward, *_ = envs.step(rng.integers(0, 20, 8))
        assert obs in envs.observation_space
        assert (np.abs(reward) <= 2).all()
        raw = backend.observe(backend.constants(envs.program), envs._batch.state).hud[:, 0]
        assert (raw >= low - 1e-5).all() and (raw <= high + 1e-5).all()


def test_a_place_far_off_the_board_widens_the_bounds() -> None:
    text = (
        WALK.replace("agent: Pos\n", "agent: Pos\n    far: Vec2(-60.0, 60.0)\n")
        .replace(
            "    s.agent = s.agent + act.move\n",
            "    s.agent = s.agent + act.move\n    s.far -= Vec2(50.0, 0.0)\n",
        )
        .replace("    if s.agent.col < 0:\n", "    if s.agent.col < 0 or s.far.x > 99.0:\n")
    )
    env = adapters.make(Program.from_source(text, "far"))
    env.reset(seed=0)
    env.step(STAY)
    obs, *_ = env.step(STAY)
    assert obs in env.observation_space
    # x = −60 is column −60 + 2.5; the agent stands in column 2 of 6
    assert obs["hud"].min() == pytest.approx((-57.5 - 2) / 6)


# --- one copy ---------------------------------------------------------------------------------


def test_win_lose_and_time_limit(walk: Program) -> None:
    env = adapters.make(walk)
    _, info = env.reset(seed=0)
    assert info["outcome"] is None and info["success"] is False
    for t in range(3):
        _, reward, terminated, truncated, info = env.step(RIGHT)
        assert (terminated, truncated) == (t == 2, False)
    assert (reward, info["outcome"], info["success"]) == (1.0, "win", True)
    env.reset()
    for _ in range(3):
        _, reward, terminated, truncated, info = env.step(LEFT)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["outcome"], info["success"]) == ("lose", False)
    env.reset()
    for t in range(6):
        _, reward, terminated, truncated, info = env.step(STAY)
        assert (reward, terminated, truncated) == (0.0, False, t == 5)
    assert info["outcome"] is None


def test_illegal_actions_act_as_stay_and_are_counted(walk: Program) -> None:
    env = adapters.make(walk)
    env.reset(seed=0)
    assert np.flatnonzero(env.action_masks()).tolist() == [0, 1, 2, 3, 4]
    flipped, *_, info = env.step(FLIP)
    assert info["illegal"] == 1
    env.reset(seed=0)
    stayed, *_ = env.step(STAY)
    assert same(flipped, stayed)


def test_a_number_beyond_32_bits_is_no_action(walk: Program) -> None:
    env, batch = adapters.make(walk), adapters.make_vec(walk, 2)
    env.reset(seed=0)
    batch.reset(seed=0)
    assert env.step((1 << 32) + FLIP)[-1]["illegal"] == 1
    assert batch.step(np.asarray([(1 << 32) + 1, STAY]))[-1]["illegal"].tolist() == [1, 0]


def test_seeds_fix_the_levels_and_info_plays_one_again() -> None:
    env = adapters.make("rooms")
    first, info = env.reset(seed=5)
    second, _ = env.reset()
    assert not same(first, second)
    again, _ = env.reset(seed=5)
    assert same(first, again) and same(env.reset()[0], second)
    replay, told = env.reset(seed=9, options={"level_seed": info["level"]["seed"]})
    assert same(first, replay) and same(told["level"], info["level"])


def test_an_int_level_seed_is_the_level_of_the_run_command() -> None:
    env = adapters.make("rooms")
    env.reset(options={"level_seed": 3})
    backend = numpy_backend(env.program)
    words = np.asarray([3], np.uint64).view(np.int32)[None]
    params = env.program.default_params()[None]
    want = backend.reset(backend.constants(env.program), words, params)
    assert np.array_equal(env._batch.state.fields["board"], want.fields["board"])


def test_difficulty_and_parameters_by_options(walk: Program) -> None:
    env = adapters.make(walk, difficulty=0.0)

    def start_column(**options: Any) -> tuple[int, float]:
        _, info = env.reset(seed=0, options=options)
        assert info["level"]["params"] == env._batch.state.fields["agent"][0, 1]
        return int(info["level"]["params"][0]), info["difficulty"]

    assert start_column() == (4, 0.0)
    assert start_column(difficulty=1) == (0, 1.0)
    assert start_column(params={"START": 3}) == (3, 0.0)
    assert start_column() == (4, 0.0)
    env.difficulty = 0.5
    assert start_column() == (2, 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dificulty": 1}, "unknown reset option 'dificulty': did you mean 'difficulty'"),
        ({"difficulty": 1.5}, "from 0 to 1, not 1.5"),
        ({"difficulty": "hard"}, "number from 0 to 1, not 'hard'"),
        ({"params": {"STRAT": 1}}, "walk has no parameter 'STRAT': did you mean 'START'"),
        ({"params": {"START": 9}}, "START lies from 0 to 4, not 9"),
        ({"level_seed": -1}, "level_seed must be an int from 0"),
        ({"level_seed": [1 << 40, 3]}, "level_seed must be an int from 0"),
        ({"params": [1]}, "params must map names to values"),
    ],
)
def test_bad_options_are_told(walk: Program, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        adapters.make(walk).reset(options=options)


def test_render_modes(walk: Program) -> None:
    env = adapters.make(walk, render_mode="ansi")
    env.reset(seed=0)
    assert env.render().splitlines()[1] == "..@..."
    picture = adapters.make(walk, render_mode="rgb_array")
    picture.reset(seed=0)
    frame = picture.render()
    assert frame.dtype == np.uint8 and frame.shape[1:] == (6 * 24, 3)
    silent = adapters.make(walk)
    silent.reset()
    assert silent.render() is None
    with pytest.raises(ValueError, match="'human': use 'ansi' or 'rgb_array'"):
        adapters.make(walk, render_mode="human")
    with pytest.raises(gymnasium.error.ResetNeeded):
        adapters.make(walk, render_mode="ansi").render()


# --- many copies ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", ["key_door", "scramble"])
def test_the_batch_equals_single_copies(name: str, mode: AutoresetMode) -> None:
    """Over several episodes: observations, rewards, ends and infos with their masks."""
    copies, rng = 4, np.random.default_rng(0)
    batch = adapters.make_vec(name, copies, autoreset_mode=mode, difficulty=0.9)
    loop = SyncVectorEnv(
        [lambda: adapters.make(name, difficulty=0.9)] * copies, autoreset_mode=mode
    )
    assert batch.metadata["autoreset_mode"] == mode
    assert batch.observation_space == loop.observation_space
    assert same(batch.reset(seed=11), loop.reset(seed=11))
    ends = 0
    for _ in range(150):
        actions = rng.integers(0, 6, copies)
        ours, theirs = batch.step(actions), loop.step(actions)
        for mine, other in zip(ours, theirs):
            assert same(mine, other)
        over = ours[2] | ours[3]
        ends += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            ours, theirs = (e.reset(options={"reset_mask": over.copy()}) for e in (batch, loop))
            assert same(ours[0], theirs[0]) and same(ours[1], theirs[1])
    assert ends >= 4


def test_make_vec_gives_the_batch_and_can_give_the_loop() -> None:
    batch = gymnasium.make_vec("Spade/Rooms-v0", num_envs=3)
    assert isinstance(batch.unwrapped, adapters.SpadeVectorEnv)
    loop = gymnasium.make_vec("Spade/Rooms-v0", num_envs=3, vectorization_mode="sync")
    assert isinstance(loop, SyncVectorEnv)
    assert same(batch.reset(seed=4)[0], loop.reset(seed=4)[0])
    batch.close(), loop.close()


def test_difficulty_and_options_of_each_copy(walk: Program) -> None:
    envs = adapters.make_vec(walk, 3, difficulty=[0.0, 0.5, 1.0])
    _, info = envs.reset(seed=0)
    assert info["level"]["params"][:, 0].tolist() == [4, 2, 0]
    assert info["difficulty"].tolist() == [0.0, 0.5, 1.0]
    _, info = envs.reset(options={"params": {"START": np.asarray([1, 2, 3])}})
    assert info["level"]["params"][:, 0].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="3 copies need one number"):
        envs.reset(options={"difficulty": [0.1, 0.2]})
    with pytest.raises(ValueError, match="2 seeds for 3 copies"):
        envs.reset(seed=[1, 2])
    with pytest.raises(ValueError, match=r"reset_mask must be bool\[3\]"):
        envs.reset(options={"reset_mask": [1, 0, 1]})


def test_a_batch_draws_all_its_copies(walk: Program) -> None:
    envs = adapters.make_vec(walk, 2, render_mode="ansi")
    envs.reset(seed=0)
    texts = envs.render()
    assert texts is not None and len(texts) == 2 and "@" in texts[0]


# --- several seats ----------------------------------------------------------------------------


def test_rivals_play_as_in_the_gymnax_environment() -> None:
    """The same level and actions give the same episode under both contracts."""
    import jax

    from envs_dsl.env import make

    theirs, params = make("scramble")
    key = jax.random.key(12)
    _, state = jax.jit(theirs.reset_env)(key, params)
    env = adapters.make("scramble")
    env.reset(options={"level_seed": np.asarray(jax.random.key_data(key)).view(np.int32)})
    step = jax.jit(theirs.step_env)
    for action in (1, 1, 4, 2, 3, 1, 0, 4):
        obs, state, reward, terminated, _ = step(key, state, action, params)
        mine, paid, ended, _, _ = env.step(action)
        assert np.array_equal(mine["cells"], obs.cells)
        assert np.allclose(mine["hud"], obs.hud, atol=1e-5)
        assert paid == pytest.approx(float(reward)) and ended == bool(terminated)
    rivals = np.asarray(state.inner.last_action)[0]
    assert rivals.tolist() == env._batch.state.last_action[0].tolist()


def test_rivals_use_every_legal_action_alike() -> None:
    from envs_dsl.rivals import rival_actions

    game = library.find("sumo").game
    seeds = np.random.default_rng(0).integers(0, 1 << 31, (60_000, 2)).astype(np.int32)
    drawn = rival_actions(np, game, seeds, np.zeros(60_000, np.int32))
    dash = 14
    for seat in range(2):
        counts = np.bincount(drawn[:, seat], minlength=20)
        assert np.flatnonzero(counts).tolist() == [0, 1, 2, 3, 4, dash]
        assert np.abs(counts[counts > 0] / 10_000 - 1).max() < 0.05
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.02
