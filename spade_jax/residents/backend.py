"""A gymnax environment behind the interface of the JAX back ends that run programs."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from envs_dsl.backends.state import LOSE, NONE, WIN, StepOut
from envs_dsl.interface import ACTIONS, CELL_CHANNELS, HUD, VIEW, Observation

__all__ = ["ResidentBackend", "ResidentState"]


class ResidentState(NamedTuple):
    """Everything that B copies remember; each leaf has a leading axis B.

    Attributes:
      inner: the environment's own state. seen: its last observation, as it gave it.
      seed: int32[B, 2], the level. t: int32[B], completed steps.
      outcome: int32[B], an outcome code; the first one stays. total: float32[B], reward so far.
      fault: bool[B], never set: what is not finite shows in rewards and observations.
    """

    inner: Any
    seen: Any
    seed: Any
    t: Any
    outcome: Any
    total: Any
    fault: Any


class ResidentBackend:
    """Pure functions of one environment, see ``envs_dsl.backends.Backend``; one seat.

    All randomness is a function of a copy's level and clock: ``reset_env`` is given the level's 64
    bits as a key, folded with 0, and the step after ``t`` of them the same folded with ``t + 1``.
    Nothing is reset in a step: the learner does that. The parameters are the default ones.
    """

    def __init__(self, environment: Any, actions: int, max_steps: int) -> None:
        """``actions``: those from this number on act as 0. ``max_steps``: the episode's limit."""
        self.environment, self.actions, self.max_steps = environment, actions, max_steps

    def constants(self, program: Any) -> tuple[()]:
        """None: an executable is that of one environment alone."""
        return ()

    def reset(self, constants: Any, seeds: Any, params: Any) -> ResidentState:
        """Initial states of levels ``seeds`` int32[B, 2]; ``params`` float32[B, 0]."""
        copies = seeds.shape[0]
        seen, inner = jax.vmap(self._begin)(seeds)
        return ResidentState(
            inner=inner,
            seen=seen,
            seed=seeds,
            t=jnp.zeros(copies, jnp.int32),
            outcome=jnp.full(copies, NONE, jnp.int32),
            total=jnp.zeros(copies, jnp.float32),
            fault=jnp.zeros(copies, jnp.bool_),
        )

    def step(
        self, constants: Any, state: ResidentState, actions: Any
    ) -> tuple[ResidentState, StepOut]:
        """One step of every copy; ``actions`` int32[B, 1]."""
        chosen = jnp.where(actions[:, 0] < self.actions, actions[:, 0], 0)
        seen, inner, reward, terminated, late, won = jax.vmap(self._go)(
            state.inner, state.seed, state.t, state.total, chosen
        )
        t = state.t + jnp.int32(1)
        ended = jnp.where(terminated, jnp.where(won, WIN, LOSE), NONE).astype(jnp.int32)
        outcome = jnp.where(state.outcome != NONE, state.outcome, ended)
        after = state._replace(
            inner=inner, seen=seen, t=t, outcome=outcome, total=state.total + reward
        )
        over = outcome != NONE
        return after, StepOut(reward[:, None], over, (late | (t >= self.max_steps)) & ~over)

    def observe(self, constants: Any, state: ResidentState) -> Observation:
        """The environment's ``Observation``, or its numbers in the head of ``hud``, nothing in
        ``cells``, and its first actions as the legal ones; all with an axis for the one seat."""
        if isinstance(state.seen, Observation):
            return Observation(*(part[:, None] for part in state.seen))
        copies = state.t.shape[0]
        numbers = state.seen.reshape(copies, -1).astype(jnp.float32)
        return Observation(
            cells=jnp.zeros((copies, 1, VIEW, VIEW, CELL_CHANNELS), jnp.uint8),
            hud=jnp.pad(numbers, ((0, 0), (0, HUD - numbers.shape[1])))[:, None],
            legal=jnp.broadcast_to(jnp.arange(ACTIONS) < self.actions, (copies, 1, ACTIONS)),
        )

    # --- one copy ---------------------------------------------------------------------------------

    def _begin(self, seed: Any) -> Any:
        key = jax.random.fold_in(_key(seed), 0)
        return _plain(self.environment.reset_env(key, self.environment.default_params))

    def _go(self, inner: Any, seed: Any, t: Any, total: Any, action: Any) -> Any:
        """(observation, state, reward, terminated, at the time limit, won) of one step."""
        environment, params = self.environment, self.environment.default_params
        key = jax.random.fold_in(_key(seed), t + 1)
        seen, inner, reward, terminated, info = environment.step_env(key, inner, action, params)
        late = environment.is_truncated(inner, params)
        reward = jnp.asarray(reward, jnp.float32)
        won = info["success"] if "success" in info else total + reward > 0.0
        flags = (jnp.asarray(flag, jnp.bool_) for flag in (terminated, late, won))
        return *_plain((seen, inner)), reward, *flags


def _key(seed: Any) -> Any:
    """The level's 64 bits, int32[2], as a key."""
    bits = jax.lax.bitcast_convert_type(seed, jnp.uint32)
    return jax.random.wrap_key_data(bits, impl="threefry2x32")


def _plain(tree: Any) -> Any:
    """Leaves as arrays whose dtypes are their own: Python's numbers would take on another's."""

    def array(leaf: Any) -> jax.Array:
        value = jnp.asarray(leaf)
        return jax.lax.convert_element_type(value, value.dtype)

    return jax.tree.map(array, tree)
