"""A gymnasium wrapper whose levels get harder with success and easier with failure."""

from __future__ import annotations

from typing import Any

import gymnasium

from envs_dsl.adaptive import AdaptiveConfig, AdaptiveState, start, update

__all__ = ["AdaptiveDifficulty"]


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
