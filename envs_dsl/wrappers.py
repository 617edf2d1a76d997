"""Wrappers of gymnax environments: the same task, paid otherwise.

def late_is_less(state, action, next_state, reward):
    return reward * 0.99 ** next_state.time

env = RewardWrapper(make("key_door")[0], late_is_less)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from gymnax.environments import environment

__all__ = ["Reward", "RewardWrapper"]

Reward = Callable[[Any, Any, Any, jax.Array], Any]
"""(state, action, next state, reward float32[]) -> float32[], in JAX alone."""


class RewardWrapper(environment.Environment[Any, Any]):
    """An environment whose reward is ``reward(state, action, next_state, reward)``.

    ``next_state`` is the one that the action led to: that of the episode's end where it ended, not
    that of the automatic reset. All else (observations, ends, ``info`` with ``success``,
    parameters, and attributes such as ``params_at``) is the wrapped environment's.
    """

    def __init__(self, env: environment.Environment[Any, Any], reward: Reward) -> None:
        """``env``: any gymnax environment; ``reward``: see ``Reward``.

        Raises:
          ValueError: ``env`` resets in a ``step`` of its own, which would not be called.
        """
        if type(env).step is not environment.Environment.step:
            raise ValueError(f"{env.name} has a step() of its own; only step_env() can be wrapped")
        self.env, self.reward = env, reward

    def __getattr__(self, name: str) -> Any:
        if name == "env":  # a copy in the making has none yet
            raise AttributeError(name)
        return getattr(self.env, name)

    def reset_env(self, key: jax.Array, params: Any) -> tuple[Any, Any]:
        return self.env.reset_env(key, params)

    def step_env(
        self, key: jax.Array, state: Any, action: Any, params: Any
    ) -> tuple[Any, Any, jax.Array, jax.Array, dict[Any, Any]]:
        observation, following, paid, terminated, info = self.env.step_env(
            key, state, action, params
        )
        reward = self.reward(state, action, following, jnp.asarray(paid, jnp.float32))
        return observation, following, jnp.asarray(reward, jnp.float32), terminated, info

    # --- what is the wrapped environment's, though the base class has it too ----------------------

    @property
    def name(self) -> str:
        return self.env.name

    @property
    def num_actions(self) -> int:
        return self.env.num_actions

    @property
    def default_params(self) -> Any:
        return self.env.default_params

    @property
    def supports_transition_gradients(self) -> bool:
        return self.env.supports_transition_gradients

    @property
    def transition_gradients_enabled(self) -> bool:
        return self.env.transition_gradients_enabled

    def with_transition_gradients(self) -> RewardWrapper:
        return type(self)(self.env.with_transition_gradients(), self.reward)

    def observe(self, key: Any, state: Any, action: Any, params: Any) -> Any:
        return self.env.observe(key, state, action, params)

    def get_obs(self, state: Any, params: Any = None, key: Any = None) -> Any:
        return self.env.get_obs(state, params, key)

    def is_truncated(self, state: Any, params: Any) -> jax.Array:
        return self.env.is_truncated(state, params)

    def is_terminal(self, state: Any, params: Any) -> jax.Array:
        return self.env.is_terminal(state, params)

    def is_terminated(self, state: Any, params: Any) -> jax.Array:
        return self.env.is_terminated(state, params)

    def discount(self, state: Any, params: Any) -> jax.Array:
        return self.env.discount(state, params)

    def action_space(self, params: Any = None) -> Any:
        return self.env.action_space(params)

    def observation_space(self, params: Any = None) -> Any:
        return self.env.observation_space(params)

    def state_space(self, params: Any = None) -> Any:
        return self.env.state_space(params)
