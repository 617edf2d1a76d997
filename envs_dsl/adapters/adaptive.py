"""gymnasium wrappers whose levels get harder with success and easier with failure."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorWrapper

from envs_dsl.adapters.vector import SpadeVectorEnv
from envs_dsl.adaptive import AdaptiveConfig, AdaptiveState, start, update

__all__ = ["AdaptiveDifficulty", "AdaptiveVectorDifficulty"]


class AdaptiveDifficulty(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Each ``reset`` makes a level of the current difficulty (see ``envs_dsl.adaptive``).

    ``info["difficulty"]`` is that of the level being played. An episode counts when it ends, by
    ``info["success"]``; one broken off by ``reset`` does not count, nor does one whose difficulty
    or parameters ``reset(options=…)`` chose. Seeds and other options work as ever; ``seed`` does
    not put the difficulty back.

    Attributes:
      state: what the rule remembers. Write ``state.as_json()`` to a checkpoint and set
        ``state = AdaptiveState.from_json(…)`` to go on from it.

    Args:
      env: an environment whose ``reset`` takes the option "difficulty", as all of ours do.
      config: the numbers of the rule.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], config: AdaptiveConfig | None = None) -> None:
        super().__init__(env)
        self.config = config or AdaptiveConfig()
        self.state: AdaptiveState = start(self.config)
        self._counts = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """A level of ``state.difficulty``, unless ``options`` name another."""
        given = dict(options or {})
        self._counts = not {"difficulty", "params"} & given.keys()
        return self.env.reset(seed=seed, options={"difficulty": self.state.difficulty} | given)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step; the last one of an episode moves ``state``."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._counts and (terminated or truncated):
            self.state = update(self.state, bool(info["success"]), self.config)
            self._counts = False
        return observation, reward, terminated, truncated, info


class AdaptiveVectorDifficulty(VectorWrapper):
    """A batch whose copies share one difficulty, moved by the success of all of them.

    It holds for the levels that begin after it changed. An episode counts if it was played at the
    difficulty of the moment, so those still under way when it changes do not; of several that end
    in one step the copies' order is theirs. (For a difficulty of its own in each copy vectorise
    ``AdaptiveDifficulty``: ``make_vec(…, vectorization_mode="sync")``.)

    Attributes:
      state: what the rule remembers, as in ``AdaptiveDifficulty``.
    """

    def __init__(self, env: SpadeVectorEnv, config: AdaptiveConfig | None = None) -> None:
        super().__init__(env)
        self.envs = env
        self.config = config or AdaptiveConfig()
        self.state: AdaptiveState = start(self.config)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """As ``SpadeVectorEnv.reset``, with levels of ``state.difficulty``."""
        self.envs.difficulty = self.state.difficulty  # type: ignore[assignment]
        return self.envs.reset(seed=seed, options=options)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """A step of all copies; episodes that end move ``state``."""
        self.envs.difficulty = self.state.difficulty  # type: ignore[assignment]
        observation, reward, terminated, truncated, info = self.envs.step(actions)
        last = info.get("final_info", info)
        for row in np.flatnonzero(terminated | truncated):
            if last["difficulty"][row] == self.state.difficulty:
                self.state = update(self.state, bool(last["success"][row]), self.config)
        return observation, reward, terminated, truncated, info
