"""A program as a ``gymnasium.Env``, on the NumPy back end: no JAX, nothing to compile."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envs_dsl.adapters.batch import Batch
from envs_dsl.adapters.levels import draw_seed, read_difficulty, read_levels
from envs_dsl.adapters.spaces import action_space, observation_space
from envs_dsl.program import Program

__all__ = ["METADATA", "SpadeGymEnv", "check_render_mode", "draw"]

METADATA: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 8}

Observed = dict[str, np.ndarray]


class SpadeGymEnv(gymnasium.Env[Observed, int]):
    """One program, one copy.

    Observation: ``Dict`` of cells uint8[9, 9, 6], hud float32[152] and legal int8[20], the same
    shapes for every program (see ``envs_dsl.interface``). Action: ``Discrete(20)``, the same
    actions for every program; one that it does not have acts as STAY and is counted.

    Reward: what the program pays, within ±1 an episode. Terminated: the game has an outcome.
    Truncated: its step limit was reached without one.

    ``info``, after ``reset`` and every step: difficulty (of this level), level (seed int32[2],
    params float32[P]: with the actions they fix the episode), outcome (None, "win", "lose", "draw"
    or "win:seat"), success, illegal (illegal actions so far), score (the reward so far before it
    is held within ±1).

    With several seats the caller plays seat 0 and the others act at random, by a hash of the level
    and the clock, as in ``envs_dsl.env.SpadeEnv``: the same level and actions give the same episode
    there. In a game of alternate turns steps of the others pass with only STAY legal.

    Args:
      program: what to play.
      difficulty: of the levels that ``reset`` makes, 0 to 1 (0.5: as the program declares). It may
        be set later; ``reset(options=…)`` overrules it for one episode (see ``levels``).
      render_mode: None, "ansi" (text) or "rgb_array" (uint8 picture).

    Raises:
      ValueError: a difficulty outside 0 to 1, or an unknown render mode.
    """

    metadata = METADATA

    def __init__(
        self, program: Program, *, difficulty: float = 0.5, render_mode: str | None = None
    ) -> None:
        self.program = program
        self.metadata = dict(METADATA)  # gymnasium writes into it
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = observation_space(program)  # type: ignore[assignment]
        self.action_space = action_space()  # type: ignore[assignment]
        self.difficulty = difficulty
        self._batch = Batch(program, 1)
        self._started = False

    @property
    def difficulty(self) -> float:
        """Of the levels to come; ``info["difficulty"]`` is that of the level being played."""
        return self._difficulty

    @difficulty.setter
    def difficulty(self, value: float) -> None:
        self._difficulty = float(read_difficulty(value, 1)[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """A new level, drawn from ``np_random``.

        Raises:
          ValueError: a bad option; the message says which.
        """
        super().reset(seed=seed)
        levels = read_levels(self.program, options, np.asarray([self._difficulty]))
        if levels.seeds is None:
            levels = levels._replace(seeds=draw_seed(self.np_random)[None])
        self._batch.reset(np.arange(1), levels)
        self._started = True
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """One step.

        Raises:
          gymnasium.error.ResetNeeded: ``reset`` was never called.
        """
        self._need_reset()
        reward, terminated, truncated = self._batch.step(np.asarray(action).reshape(1))
        ended = bool(terminated[0]), bool(truncated[0])
        return self._observation(), float(reward[0]), *ended, self._info()

    def render(self) -> Any:
        """Text or uint8[rows·24 + bar, cols·24, 3], as ``render_mode`` says; None without one."""
        if self.render_mode is None:
            return None
        self._need_reset()
        return draw(self.program, self._batch.state, 0, self.render_mode)

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool[20]: what sb3-contrib's MaskablePPO asks for."""
        self._need_reset()
        return self._observation()["legal"].astype(bool)

    def _need_reset(self) -> None:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() first")

    def _observation(self) -> Observed:
        return {k: v[0] for k, v in self._batch.observe(self.observation_space).items()}

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {}
        for name, value in self._batch.info().items():
            if isinstance(value, dict):
                info[name] = {key: part[0] for key, part in value.items()}
            else:
                one = value[0]
                info[name] = one.item() if isinstance(one, np.generic) else one
        return info


def check_render_mode(mode: str | None) -> str | None:
    """``mode`` itself.

    Raises:
      ValueError: it is not one that we have.
    """
    known = METADATA["render_modes"]
    if mode is not None and mode not in known:
        raise ValueError(f"render_mode {mode!r}: use " + " or ".join(repr(m) for m in known))
    return mode


def draw(program: Program, state: Any, index: int, mode: str) -> Any:
    """One copy of a state as text or as a picture."""
    from envs_dsl.render import render_rgb, render_text

    return (render_text if mode == "ansi" else render_rgb)(program, state, index)
