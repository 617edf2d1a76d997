"""Observations in the form that plain networks learn from."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from envs_dsl.interface import CELL_FEATURES, VIEW, unpack_cells

__all__ = ["CellFeatures"]


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
        cells = spaces.Box(0.0, 1.0, (VIEW, VIEW, CELL_FEATURES), np.float32)
        self.observation_space = spaces.Dict({**packed.spaces, "cells": cells})

    def observation(self, observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        cells = np.asarray(unpack_cells(np, observation["cells"]), np.float32)
        return {**observation, "cells": cells}
