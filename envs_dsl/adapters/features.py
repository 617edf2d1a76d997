"""Observations and actions in the form that plain learners do best with."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from envs_dsl.adapters.spaces import feature_space
from envs_dsl.interface import unpack_cells
from envs_dsl.language.types import Game

__all__ = ["CellFeatures", "OwnActions", "own_actions"]


def own_actions(game: Game) -> np.ndarray:
    """The actions that a program has, of the 20 of all: int64[n], the moves first."""
    return np.asarray(game.actions)


class OwnActions(gymnasium.ActionWrapper[Any, Any, Any]):
    """``Discrete(n)``: only the actions that the program has, in the order of the 20.

    For learners that know nothing of ``legal``: most programs have five to eight actions, and the
    others would only be longer ways to say STAY. One network for several programs needs the 20.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._own = own_actions(env.unwrapped.program.game)  # type: ignore[attr-defined]
        self.action_space = spaces.Discrete(len(self._own))

    def action(self, action: Any) -> Any:
        return self._own[action]


class CellFeatures(gymnasium.ObservationWrapper[Any, Any, Any]):
    """``cells`` as float32[9, 9, 39] within [0, 1] in place of packed bytes.

    Bytes that stand for colours and tags are no quantities: a network that takes numbers as they
    are (Stable-Baselines3's MultiInputPolicy) should get them one-hot. The order is that of
    ``interface.unpack_cells``.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        packed = env.observation_space
        assert isinstance(packed, spaces.Dict)
        self.observation_space = feature_space(packed)

    def observation(self, observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        cells = np.asarray(unpack_cells(np, observation["cells"]), np.float32)
        return {**observation, "cells": cells}
