"""A batch as a Stable-Baselines3 ``VecEnv``: far faster than a list of single environments.

Single environments need nothing from here: ``PPO("MultiInputPolicy", CellFeatures(make(…)))``
works. This module alone imports Stable-Baselines3 (and with it torch); nothing else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from envs_dsl.adapters.features import own_actions
from envs_dsl.adapters.spaces import feature_space
from envs_dsl.adapters.vector import SpadeVectorEnv
from envs_dsl.interface import unpack_cells

__all__ = ["SB3VecEnv"]


class SB3VecEnv(VecEnv):
    """Wraps a ``SpadeVectorEnv`` whose autoreset mode is "SameStep", which is also SB3's way.

    Observations and actions are those of ``CellFeatures`` and ``OwnActions``. Each ``info`` holds
    what SB3 reads: ``terminal_observation``, ``TimeLimit.truncated`` and ``is_success`` (its logger
    makes a success rate of that), and ``difficulty``; the whole of ours is in ``last_info``.

    Raises:
      ValueError: another autoreset mode.
    """

    def __init__(self, envs: SpadeVectorEnv) -> None:
        if envs.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ValueError('SB3VecEnv needs make_vec(…, autoreset_mode="SameStep")')
        self.envs = envs
        self.last_info: dict[str, Any] = {}
        self.render_mode = envs.render_mode
        packed = envs.single_observation_space
        assert isinstance(packed, spaces.Dict)
        self._own = own_actions(envs.program.game)
        self._actions = np.zeros(envs.num_envs, np.int64)
        actions: Any = spaces.Discrete(len(self._own))
        super().__init__(envs.num_envs, feature_space(packed), actions)

    def reset(self) -> dict[str, np.ndarray]:
        """New episodes; seeds given by ``seed`` are used once."""
        seeds = None if all(s is None for s in self._seeds) else list(self._seeds)
        observation, self.last_info = self.envs.reset(seed=seeds)
        self._reset_seeds()
        return _features(observation)

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = self._own[actions]

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observation, reward, terminated, truncated, info = self.envs.step(self._actions)
        self.last_info = info
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{"difficulty": float(d)} for d in info["difficulty"]]
        for i in np.flatnonzero(done):
            infos[i] = {
                "difficulty": float(info["final_info"]["difficulty"][i]),
                "is_success": bool(info["final_info"]["success"][i]),
                "TimeLimit.truncated": bool(truncated[i]),
                "terminal_observation": _features(info["final_obs"][i]),
            }
        return _features(observation), reward.astype(np.float32), done, infos

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        value = getattr(self.envs, attr_name)
        return [value] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        if indices is not None:
            raise ValueError("a batch has one value of an attribute: set it for all copies")
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        if method_name == "action_masks":
            masks = self.envs.action_masks()[:, self._own]
            return [masks[i] for i in self._get_indices(indices)]
        raise AttributeError(f"the copies of a batch have no method {method_name!r}")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[np.ndarray | None]:
        return self.envs.render() or [None] * self.num_envs


def _features(observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    cells = np.asarray(unpack_cells(np, observation["cells"]), np.float32)
    return {**observation, "cells": cells}
