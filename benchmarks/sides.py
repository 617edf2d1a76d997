"""Environments to roll out side by side: programs of ours, and those of gymnax, xminigrid, navix.

A ``Side`` is a batch of copies that start over by themselves, each time on a fresh level, in the
way its library means it:

- ours takes the next level from a pool that was drawn before the roll-out (``prepare``);
- gymnax makes a level in every step and keeps it where the episode is over (its own ``step``);
- xminigrid likewise, by its ``GymAutoResetWrapper``;
- navix makes one in every step, which counts as the step after an episode's end (its own ``step``).
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from envs_dsl.backends import jax_backend
from envs_dsl.program import Program

__all__ = ["COMPACT", "Side", "attempt", "gymnax_side", "navix_side", "our_side", "xminigrid_side"]

_T = TypeVar("_T")

COMPACT = "observe_compact"
"""The method of a back end that gives what a roll-out buffer holds, where it has one."""


@dataclasses.dataclass(frozen=True)
class Side:
    """A batch of n copies, pure functions.

    Attributes:
      name: of the library. actions: how many it is given, 0 to ``actions`` − 1.
      start: key -> state, whose clocks are spread over an episode so that endings are as well.
      prepare: (key, state) -> (state, whatever ``step`` reads that was drawn before a roll-out).
      step: (prepared, key, state, int32[n]) -> (state, observation, float32[n], done bool[n],
        fresh bool[n]: whether a copy that is done goes on with a level nobody has played).
      levels_per_copy: size of our pool, else None.
    """

    name: str
    actions: int
    start: Callable[[jax.Array], Any]
    prepare: Callable[[jax.Array, Any], tuple[Any, Any]]
    step: Callable[[Any, jax.Array, Any, jax.Array], tuple[Any, Any, Any, Any, Any]]
    levels_per_copy: int | None = None


def our_side(
    program: Program,
    copies: int,
    actions: Sequence[int],
    levels_per_copy: int = 1,
    compact: bool = False,
) -> Side:
    """A program in its JAX back end. Action i is our ``actions[i]``, for seat 0 of one.

    Copy i plays levels i, n + i, 2n + i … of a pool that ``prepare`` draws anew for each roll-out;
    one that has played them all begins again with its first, which is not fresh.
    ``compact``: what the roll-out buffer of the learner holds instead of the whole observation.
    """
    backend = jax_backend(program)
    constants = jax.tree.map(jnp.asarray, backend.constants(program))
    observe = getattr(backend, COMPACT) if compact else backend.observe
    codes = jnp.asarray(actions, jnp.int32)
    size = copies * levels_per_copy
    declared = jnp.asarray(program.default_params(), jnp.float32)
    params = jnp.broadcast_to(declared, (size, len(program.params)))
    own = jnp.arange(copies, dtype=jnp.int32)

    def levels(key: jax.Array, count: int) -> Any:
        seeds = jax.random.randint(key, (count, 2), -(2**31), 2**31 - 1, jnp.int32)
        return backend.reset(constants, seeds, params[:count])

    def start(key: jax.Array) -> Any:
        state = levels(key, copies)
        clock = own * program.game.max_steps // copies
        return state._replace(t=clock.astype(jnp.int32)), jnp.zeros(copies, jnp.int32)

    def prepare(key: jax.Array, state: Any) -> Any:
        return (state[0], jnp.zeros(copies, jnp.int32)), levels(key, size)

    def step(pool: Any, key: jax.Array, state: Any, action: jax.Array) -> Any:
        del key
        inner, turn = state
        inner, out = backend.step(constants, inner, codes[action][:, None])
        done = out.terminated | out.truncated
        index = own if levels_per_copy == 1 else turn % levels_per_copy * copies + own

        def renew(new: jax.Array, old: jax.Array) -> jax.Array:
            new = new if levels_per_copy == 1 else new[index]
            return jnp.where(done.reshape(-1, *(1,) * (old.ndim - 1)), new, old)

        inner = jax.tree.map(renew, pool, inner)
        observation = observe(constants, inner)
        fresh = turn < levels_per_copy
        return (inner, turn + done), observation, out.reward[:, 0], done, fresh

    return Side("ours", len(actions), start, prepare, step, levels_per_copy)


def _nothing(key: jax.Array, state: Any) -> tuple[Any, Any]:
    del key
    return state, ()


def _spread(copies: int, limit: Any, like: Any) -> jax.Array:
    """A clock for each copy, spread over an episode of ``limit`` steps."""
    return (jnp.arange(copies) * int(limit) // copies).astype(jnp.asarray(like).dtype)


def gymnax_side(name: str, copies: int) -> Side:
    """An environment of gymnax."""
    gymnax = importlib.import_module("gymnax")
    env, params = gymnax.make(name)

    def start(key: jax.Array) -> Any:
        _, state = jax.vmap(env.reset, (0, None))(jax.random.split(key, copies), params)
        return state.replace(time=_spread(copies, params.max_steps_in_episode, state.time))

    def step(_: Any, key: jax.Array, state: Any, action: jax.Array) -> Any:
        observation, state, reward, terminated, truncated, _info = jax.vmap(
            env.step, (0, 0, 0, None)
        )(jax.random.split(key, copies), state, action, params)
        return state, observation, reward, terminated | truncated, jnp.ones(copies, bool)

    return Side("gymnax", env.num_actions, start, _nothing, step)


def xminigrid_side(name: str, copies: int) -> Side:
    """An environment of xminigrid, in its wrapper that starts over in the step of the ending."""
    xminigrid = importlib.import_module("xminigrid")
    wrappers = importlib.import_module("xminigrid.wrappers")
    env, params = xminigrid.make(name)
    env = wrappers.GymAutoResetWrapper(env)

    def start(key: jax.Array) -> Any:
        step = jax.vmap(env.reset, (None, 0))(params, jax.random.split(key, copies))
        clock = _spread(copies, params.max_steps, step.state.step_num)
        return step.replace(state=step.state.replace(step_num=clock))

    def step(_: Any, key: jax.Array, state: Any, action: jax.Array) -> Any:
        del key  # the state holds one
        state = jax.vmap(env.step, (None, 0, 0))(params, state, action)
        return state, state.observation, state.reward, state.last(), jnp.ones(copies, bool)

    return Side("xminigrid", env.num_actions(params), start, _nothing, step)


def navix_side(name: str, copies: int, max_steps: int) -> Side:
    """An environment of navix; it leaves the step limit to its user."""
    env = importlib.import_module("navix").make(name, max_steps=max_steps)

    def start(key: jax.Array) -> Any:
        step = jax.vmap(env.reset)(jax.random.split(key, copies))
        return step.replace(t=_spread(copies, env.max_steps, step.t))

    def step(_: Any, key: jax.Array, state: Any, action: jax.Array) -> Any:
        del key  # the state holds one
        state = jax.vmap(env.step)(state, action)
        done = state.step_type > 0
        return state, state.observation, state.reward, done, jnp.ones(copies, bool)

    return Side("navix", len(env.action_set), start, _nothing, step)


def attempt(make: Callable[[], _T], package: str) -> tuple[_T | None, str | None]:
    """(what ``make`` gives, None), or (None, one line on why a package cannot be measured here)."""
    try:
        return make(), None
    except Exception as error:  # a peer may fail in any way beside a newer JAX
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return None, f"{package} not measured: {reason[:160]}"
