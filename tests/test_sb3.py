"""Stable-Baselines3 over our environments (skipped where it is not installed)."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from envs_dsl import library

pytest.importorskip("stable_baselines3")
pytest.importorskip("gymnasium")

import gymnasium
from stable_baselines3.common.env_checker import check_env

import envs_dsl.adapters as adapters
from envs_dsl.adapters.sb3 import SB3VecEnv

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "sb3_ppo.py"


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sb3_ppo", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", tuple(library.bundled()))
def test_its_own_check_passes(name: str) -> None:
    """Without a warning but those that take three-dimensional ``cells`` for a photograph."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in ("It seems that your observation", "The minimal resolution for an image"):
            warnings.filterwarnings("ignore", message=text)
        check_env(gymnasium.make(adapters.env_id(name)), skip_render_check=False)
        features = adapters.CellFeatures(adapters.make(name))
        check_env(adapters.OwnActions(features))


def test_the_adaptive_one_passes_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make(adapters.env_id("rooms", adaptive=True)))


def test_a_batch_gives_what_single_environments_give() -> None:
    copies, rng = 4, np.random.default_rng(0)
    batch = SB3VecEnv(adapters.make_vec("courier", copies, autoreset_mode="SameStep"))
    singles: list[Any] = [
        adapters.OwnActions(adapters.CellFeatures(adapters.make("courier"))) for _ in range(copies)
    ]
    assert batch.action_space == singles[0].action_space and batch.action_space.n == 7
    assert batch.observation_space == singles[0].observation_space
    batch.seed(5)
    seen, ends = batch.reset(), 0
    want = [env.reset(seed=5 + i)[0] for i, env in enumerate(singles)]
    for _ in range(200):
        for key, value in seen.items():
            assert np.array_equal(value, np.stack([w[key] for w in want])), key
        masks = batch.env_method("action_masks")
        assert all(mask.all() and mask.shape == (7,) for mask in masks)
        actions = rng.integers(0, 7, copies)
        seen, rewards, dones, infos = batch.step(actions)
        for i, env in enumerate(singles):
            want[i], reward, terminated, truncated, info = env.step(actions[i])
            assert rewards[i] == np.float32(reward) and dones[i] == (terminated or truncated)
            if dones[i]:
                ends += 1
                assert infos[i]["is_success"] == info["success"]
                assert infos[i]["TimeLimit.truncated"] == truncated
                last = infos[i]["terminal_observation"]
                assert all(np.array_equal(last[key], want[i][key]) for key in last)
                want[i], _ = env.reset()
    assert ends >= 4


def test_other_autoreset_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="SameStep"):
        SB3VecEnv(adapters.make_vec("rooms", 2))


def test_the_example_beats_random_play(capsys: pytest.CaptureFixture[str]) -> None:
    """A real training run on a small budget; several seeds gave 0.68 and more, random play 0.09."""
    assert example().main(["--program", "drift", "--steps", "24000"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] >= 24_000
    assert found["trained"] > 4 * found["random"]
