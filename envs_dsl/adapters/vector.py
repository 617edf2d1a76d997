"""Many copies of a program as one ``gymnasium.vector.VectorEnv``: one NumPy batch, no loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from envs_dsl.adapters.batch import Batch
from envs_dsl.adapters.levels import Levels, draw_seed, read_difficulty, read_levels
from envs_dsl.adapters.single import METADATA, check_render_mode, draw
from envs_dsl.adapters.spaces import action_space, observation_space
from envs_dsl.program import Program

__all__ = ["SpadeVectorEnv"]

Observed = dict[str, np.ndarray]


class SpadeVectorEnv(VectorEnv[Observed, np.ndarray, np.ndarray]):
    """``num_envs`` copies of ``SpadeGymEnv`` (see there), stepped together.

    It gives what gymnasium's ``SyncVectorEnv`` over single copies gives for the same seeds, to the
    last bit, at a small part of the cost; ``info`` too, with its masks.

    Args:
      program: what to play.
      num_envs: copies.
      difficulty: one number for all copies, or one for each; may be set later.
      autoreset_mode: when an episode that ended gives way to the next one, as gymnasium names it:
        "NextStep" (the default: at the following step, which ignores its action and pays 0),
        "SameStep" (at once; the last observation is in ``info["final_obs"]``) or "Disabled" (by
        ``reset(options={"reset_mask": bool[num_envs]})``).
      render_mode: None, "ansi" or "rgb_array"; ``render`` gives a tuple.

    Raises:
      ValueError: an argument out of range.
    """

    metadata = METADATA | {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        program: Program,
        num_envs: int = 1,
        *,
        difficulty: float | Sequence[float] | np.ndarray = 0.5,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if num_envs < 1:
            raise ValueError(f"num_envs must be 1 or more, not {num_envs}")
        self.program, self.num_envs = program, num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**METADATA, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode)
        self.single_observation_space = observation_space(program)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.difficulty = difficulty  # type: ignore[assignment]
        self._batch = Batch(program, num_envs)
        self._streams: list[np.random.Generator | None] = [None] * num_envs
        self._ended = np.zeros(num_envs, bool)
        self._started = False

    @property
    def difficulty(self) -> np.ndarray:
        """Of the levels to come: float64[num_envs]."""
        return self._difficulty.copy()

    @difficulty.setter
    def difficulty(self, value: float | Sequence[float] | np.ndarray) -> None:
        self._difficulty = read_difficulty(value, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observed, dict[str, Any]]:
        """New levels, in all copies or in those of ``options["reset_mask"]``.

        Args:
          seed: copy i draws its levels from ``seed + i``, or from ``seed[i]``.
          options: see ``envs_dsl.adapters.levels``; a value may have a leading axis of num_envs.

        Raises:
          ValueError: a bad option, or not one seed for each copy.
        """
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, bool)))
        if mask.dtype != bool or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask must be bool[{self.num_envs}], true for at least one")
        if not self._started and not mask.all():
            raise ValueError("the first reset is of all copies")
        seeds = [seed] * self.num_envs if seed is None else seed
        if isinstance(seeds, int | np.integer):
            seeds = [int(seeds) + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} copies")
        rows = np.flatnonzero(mask)
        for row in rows.tolist():
            if seeds[row] is not None or self._streams[row] is None:
                self._streams[row] = seeding.np_random(seeds[row])[0]
        levels = read_levels(self.program, options, self._difficulty)
        self._begin(rows, levels)
        self._started = True
        return self._batch.observe(self.single_observation_space), self._info(mask)

    def step(
        self, actions: np.ndarray
    ) -> tuple[Observed, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of every copy; ``actions`` int[num_envs].

        Raises:
          gymnasium.error.ResetNeeded: before ``reset``, or (autoreset disabled) in a copy whose
            episode has ended.
        """
        mode, ended = self.autoreset_mode, self._ended
        if not self._started or (mode == AutoresetMode.DISABLED and ended.any()):
            raise gymnasium.error.ResetNeeded("call reset() first, for the copies that have ended")
        reward, terminated, truncated = self._batch.step(np.asarray(actions))
        if mode == AutoresetMode.NEXT_STEP and ended.any():
            reward[ended], terminated[ended], truncated[ended] = 0.0, False, False
            self._renew(np.flatnonzero(ended))
        self._ended = terminated | truncated
        final: dict[str, Any] = {}
        if mode == AutoresetMode.SAME_STEP and self._ended.any():
            final = self._final(self._ended.copy())
            self._renew(np.flatnonzero(self._ended))
            self._ended = np.zeros(self.num_envs, bool)
        info = final | self._info(np.ones(self.num_envs, bool))
        observation = self._batch.observe(self.single_observation_space)
        return observation, reward, terminated, truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """One text or picture a copy; None without a render mode."""
        if self.render_mode is None:
            return None
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() first")
        state, mode = self._batch.state, self.render_mode
        return tuple(draw(self.program, state, i, mode) for i in range(self.num_envs))

    def action_masks(self) -> np.ndarray:
        """The legal actions of each copy: bool[num_envs, 20]."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() first")
        return self._batch.observe(self.single_observation_space)["legal"].astype(bool)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator | None, ...]:  # type: ignore[override]
        """The generators of the copies; None before the first ``reset``."""
        return tuple(self._streams)

    def _renew(self, rows: np.ndarray) -> None:
        self._begin(rows, read_levels(self.program, None, self._difficulty))

    def _begin(self, rows: np.ndarray, levels: Levels) -> None:
        """Start the copies ``rows``; ``levels`` are of all copies."""
        if levels.seeds is None:
            drawn = np.zeros((self.num_envs, 2), np.int32)
            for row in rows:
                stream = self._streams[row]
                assert stream is not None
                drawn[row] = draw_seed(stream)
            levels = levels._replace(seeds=drawn)
        assert levels.seeds is not None
        mine = Levels(levels.difficulty[rows], levels.params[rows], levels.seeds[rows])
        self._batch.reset(rows, mine)
        self._ended[rows] = False

    def _info(self, mask: np.ndarray) -> dict[str, Any]:
        return _masked(self._batch.info(), mask)

    def _final(self, mask: np.ndarray) -> dict[str, Any]:
        """The last observations (a dictionary each) and infos of the episodes in ``mask``."""
        observed = self._batch.observe(self.single_observation_space)
        last = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(mask):
            last[row] = {name: value[row] for name, value in observed.items()}
        info = self._info(mask)
        return {"final_obs": last, "_final_obs": mask, "final_info": info, "_final_info": mask}


def _masked(info: dict[str, Any], mask: np.ndarray) -> dict[str, Any]:
    """gymnasium's form: beside each entry a mask of the copies that have it; others are zero."""
    found: dict[str, Any] = {}
    for name, value in info.items():
        if isinstance(value, dict):
            found[name] = _masked(value, mask)
        else:
            found[name] = value.copy()
            found[name][~mask] = None if value.dtype == object else 0
        found["_" + name] = mask.copy()
    return found
