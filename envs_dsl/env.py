"""A program as a gymnax environment: drops into code that takes one, under jit, vmap and scan.

    env, params = make("key_door")
    obs, state = env.reset(key, params)
    obs, state, reward, terminated, truncated, info = env.step(key, state, action, params)

The environment is a single copy (batch it with ``jax.vmap``); gymnax resets it when an episode ends
and keeps the last observation in ``info["final_observation"]``. A trajectory depends only on the
program, the level (64 bits of the key given to ``reset``, and the parameters) and the actions; the
key given to ``step`` serves the automatic reset alone. With several seats the caller plays seat 0
and the others act at random, by a hash of the level and the clock (``envs_dsl.rivals``).
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from gymnax.environments import environment, spaces

from envs_dsl.backends import Constants, State, jax_backend, success
from envs_dsl.interface import ACTIONS, CELL_CHANNELS, HUD, VIEW, Observation
from envs_dsl.language.builtins import nearest_name
from envs_dsl.program import Program
from envs_dsl.rivals import rival_actions

__all__ = ["EnvParams", "EnvState", "SpadeEnv", "make"]


@struct.dataclass
class EnvState(environment.EnvState):
    """``time`` is the number of completed steps, int32[]; ``inner`` the back end's state, B = 1."""

    inner: State


@struct.dataclass(kw_only=True)
class EnvParams(environment.EnvParams):
    """Numbers that may change without compiling again.

    Attributes:
      max_steps_in_episode: int32[], the step limit.
      constants: the program's own numbers.
      level: float32[P], the parameters of the levels that ``reset`` makes.
      difficulty: float32[], what ``level`` was made from (0 to 1); reported in ``info``.
    """

    constants: Constants
    level: jax.Array
    difficulty: jax.Array


class SpadeEnv(environment.Environment[EnvState, EnvParams]):
    """One program as a gymnax ``Environment``.

    Observations are ``Observation`` (cells uint8[9, 9, 6], hud float32[152], legal bool[20]), the
    same shapes for every program; actions are 0 to 19. An action that the program does not have
    acts as STAY and is counted in ``info["illegal"]``.

    ``info`` holds success bool[], outcome int32[] (see ``envs_dsl.backends.outcome_name``), illegal
    int32[], difficulty float32[], level_seed int32[2], level_params float32[P], score float32[]
    (the reward so far before it is clamped to ±1), and what gymnax adds: terminated, truncated and
    final_observation.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._backend = jax_backend(program)

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def num_actions(self) -> int:
        return ACTIONS

    @property
    def default_params(self) -> EnvParams:
        """The program as it is declared (difficulty 0.5)."""
        return self.params_at(0.5)

    def params_at(self, difficulty: float) -> EnvParams:
        """Parameters for levels of a difficulty from 0 (easiest) to 1 (hardest)."""
        return EnvParams(
            max_steps_in_episode=jnp.int32(self.program.game.max_steps),
            constants=self._backend.constants(self.program),
            level=jnp.asarray(self.program.params_at(difficulty), jnp.float32),
            difficulty=jnp.float32(min(max(difficulty, 0.0), 1.0)),
        )

    def reset_env(self, key: jax.Array, params: EnvParams) -> tuple[Observation, EnvState]:
        inner = self._backend.reset(params.constants, _bits(key)[None], params.level[None])
        state = EnvState(time=inner.t[0], inner=inner)
        return self._observation(state, params), state

    def step_env(
        self, key: jax.Array, state: EnvState, action: Any, params: EnvParams
    ) -> tuple[Observation, EnvState, jax.Array, jax.Array, dict[Any, Any]]:
        del key  # the state holds the random bits
        actions = rival_actions(jnp, self.program.game, state.inner.seed, state.inner.t)
        actions = actions.at[0, 0].set(jnp.asarray(action, jnp.int32))
        inner, out = self._backend.step(params.constants, state.inner, actions)
        following = EnvState(time=inner.t[0], inner=inner)
        observation = self._observation(following, params)
        info = {
            "success": success(inner.outcome[0]),
            "outcome": inner.outcome[0],
            "illegal": inner.illegal[0],
            "difficulty": params.difficulty,
            "level_seed": inner.seed[0],
            "level_params": inner.params[0],
            "score": inner.score[0, 0],
        }
        return observation, following, out.reward[0, 0], out.terminated[0], info

    def observe(self, key: Any, state: EnvState, action: Any, params: EnvParams) -> Observation:
        del key, action  # the last action is part of the state
        return self._observation(state, params)

    def is_terminated(self, state: EnvState, params: EnvParams) -> jax.Array:
        """An outcome exists."""
        del params
        return state.inner.outcome[0] != 0

    def is_truncated(self, state: EnvState, params: EnvParams) -> jax.Array:
        """The step limit was reached without an outcome."""
        late = state.time >= params.max_steps_in_episode
        return late & ~self.is_terminated(state, params)

    def action_space(self, params: EnvParams | None = None) -> spaces.Discrete:
        return spaces.Discrete(ACTIONS)

    def observation_space(self, params: EnvParams | None = None) -> spaces.Dict:
        """A ``Dict`` with the fields of ``Observation``."""
        cells = (VIEW, VIEW, CELL_CHANNELS)
        return spaces.Dict(
            {
                "cells": spaces.Box(0, 255, cells, jnp.uint8),
                "hud": spaces.Box(-jnp.inf, jnp.inf, (HUD,), jnp.float32),
                "legal": spaces.Box(0, 1, (ACTIONS,), jnp.bool_),
            }
        )

    def _observation(self, state: EnvState, params: EnvParams) -> Observation:
        batched = self._backend.observe(params.constants, state.inner)
        return Observation(*(part[0, 0] for part in batched))


def make(name: str, difficulty: float = 0.5) -> tuple[SpadeEnv, EnvParams]:
    """A bundled seed program as (environment, its parameters), as ``gymnax.make`` gives them.

    Raises:
      ValueError: there is no such program; the message names the nearest one.
    """
    from envs_dsl import library

    found = next((p for p in library.seeds() if p.name == name), None)
    if found is None:
        near = nearest_name(name, library.names())
        hint = f"did you mean {near!r}?" if near else "known: " + ", ".join(library.names())
        raise ValueError(f"no bundled program {name!r}: {hint}")
    env = _environment(found)
    return env, env.params_at(difficulty)


@functools.lru_cache(maxsize=64)
def _environment(program: Program) -> SpadeEnv:
    """One environment a program: gymnax compiles once for each object."""
    return SpadeEnv(program)


def _bits(key: jax.Array) -> jax.Array:
    """64 bits of a key, of either style and any generator: int32[2]."""
    typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    words = jax.random.key_data(key) if typed else key
    if words.shape[-1] != 2:
        words = jax.random.bits(key, (2,), jnp.uint32)
    return jax.lax.bitcast_convert_type(words.astype(jnp.uint32), jnp.int32)
