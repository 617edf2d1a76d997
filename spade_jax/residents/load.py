"""From "module:Class" to a resident, or one line that says why not. Imports gymnax on demand."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envs_dsl.interface import ACTIONS, CELL_CHANNELS, HUD, VIEW, Observation
from spade_jax.errors import UserError
from spade_jax.own_class import OwnClassError, make_own, told
from spade_jax.residents.backend import ResidentBackend
from spade_jax.residents.resident import Resident

__all__ = ["load_residents"]

_OWN = Observation(
    cells=jax.ShapeDtypeStruct((VIEW, VIEW, CELL_CHANNELS), jnp.uint8),
    hud=jax.ShapeDtypeStruct((HUD,), jnp.float32),
    legal=jax.ShapeDtypeStruct((ACTIONS,), jnp.bool_),
)


def load_residents(names: Sequence[str]) -> tuple[Resident, ...]:
    """Import, make and examine the environments of a run; nothing is compiled.

    Args:
      names: "module:Class" each; importable, callable without arguments, gives a gymnax
        ``Environment``. Its observations are ``envs_dsl.interface.Observation`` records or arrays
        of at most 152 numbers, its actions 0 to at most 19.

    Raises:
      UserError: one of them cannot be a resident, and why.
    """
    return tuple(_resident(name) for name in names)


class _Unfit(Exception):
    """Why an environment cannot be a resident."""


def _resident(name: str) -> Resident:
    try:
        made, environment = _make(name)
        backend = ResidentBackend(environment, _actions(environment), _limit(environment))
        _examine(environment)
        return Resident(name, _digest(name, made), backend)
    except _Unfit as error:
        raise UserError(f"resident {name!r}: {error}") from None


def _make(name: str) -> tuple[Any, Any]:
    """What the name names, and the environment that comes of calling it."""
    from gymnax.environments.environment import Environment

    try:
        made, environment = make_own(name)
    except OwnClassError as error:
        raise _Unfit(str(error)) from None
    if not isinstance(environment, Environment):
        raise _Unfit(f"is a {type(environment).__name__}, not a gymnax Environment")
    return made, environment


def _limit(environment: Any) -> int:
    """Steps of an episode at most."""
    try:
        limit = int(environment.default_params.max_steps_in_episode)
    except Exception as error:
        raise _Unfit(
            f"its default_params have no number max_steps_in_episode ({told(error)})"
        ) from None
    if limit < 1:
        raise _Unfit(f"max_steps_in_episode is {limit}; it must be at least 1")
    return limit


def _actions(environment: Any) -> int:
    """How many actions it has."""
    from gymnax.environments.spaces import Discrete

    try:
        space = environment.action_space(environment.default_params)
    except NotImplementedError:
        space = None
    except Exception as error:
        raise _Unfit(f"action_space fails ({told(error)})") from None
    if space is not None and not isinstance(space, Discrete):
        raise _Unfit(f"its actions are a {type(space).__name__}; they must be Discrete")
    try:
        count = int(environment.num_actions if space is None else space.n)
    except Exception as error:
        raise _Unfit(f"it does not say how many actions it has ({told(error)})") from None
    if not 1 <= count <= ACTIONS:
        raise _Unfit(f"it has {count} actions; there may be 1 to {ACTIONS}")
    return count


def _examine(environment: Any) -> None:
    """Trace one reset and one step, and look at the shapes."""
    key = jax.random.key(0, impl="threefry2x32")
    try:
        params = environment.default_params
        seen, state = _shapes(lambda: environment.reset_env(key, params))
        action = jax.ShapeDtypeStruct((), jnp.int32)
        stepped = _shapes(lambda s, a: environment.step_env(key, s, a, params), state, action)
        if len(stepped) != 5:
            raise _Unfit(f"step_env gives {len(stepped)} values; gymnax's gives 5")
        seen_after, after, reward, terminated, info = stepped
        truncated = _shapes(lambda s: environment.is_truncated(s, params), after)
    except _Unfit:
        raise
    except (Exception, SystemExit) as error:
        raise _Unfit(f"cannot be run under JAX ({told(error)})") from None
    _same("state", state, after)
    _same("observation", seen, seen_after)
    if not isinstance(info, dict):
        raise _Unfit(f"step_env's info is a {type(info).__name__}, not a dict")
    flags = {"reward": reward, "terminated": terminated, "is_truncated": truncated}
    if "success" in info:
        flags["info['success']"] = info["success"]
    for what, value in flags.items():
        if getattr(value, "shape", None) != ():
            raise _Unfit(f"{what} is {_shown(value)}; it must be one number")
    if isinstance(seen, Observation):
        _same("observation", _OWN, seen)
    elif not isinstance(seen, jax.ShapeDtypeStruct) or seen.size > HUD:
        raise _Unfit(
            f"its observation is {_shown(seen)}; it must be an Observation (envs_dsl.interface) or "
            f"one array of at most {HUD} numbers"
        )


def _shapes(function: Any, *arguments: Any) -> Any:
    """Shapes of what a function gives.

    Raises:
      _Unfit: a leaf is a typed random key.
    """

    def shape(leaf: Any) -> jax.ShapeDtypeStruct:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            raise _Unfit("it keeps a typed random key; keep jax.random.key_data(key)")
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)

    return jax.tree.map(shape, jax.eval_shape(function, *arguments))


def _same(what: str, before: Any, after: Any) -> None:
    """Refuse what is not of the structure, shapes and dtypes it has to be."""
    structure: Any = jax.tree.structure(before)
    if structure != jax.tree.structure(after):
        raise _Unfit(f"its {what} changes its structure between reset_env and step_env")
    leaves, _ = jax.tree_util.tree_flatten_with_path(before)
    for (path, old), new in zip(leaves, jax.tree.leaves(after), strict=True):
        if (old.shape, old.dtype) != (new.shape, new.dtype):
            where = what + jax.tree_util.keystr(path)
            raise _Unfit(f"its {where} is {_shown(new)}; it must be {_shown(old)}")


def _digest(name: str, made: Any) -> str:
    """Of the name and of the text of the modules that it names and that the class stands in."""
    hasher = hashlib.sha256(name.encode())
    for module_name in dict.fromkeys(
        (name.partition(":")[0], str(getattr(made, "__module__", "")))
    ):
        path = getattr(sys.modules.get(module_name), "__file__", None)
        if path is None:
            raise _Unfit(f"{module_name} has no file, whose text its hash is made from")
        hasher.update(Path(path).read_bytes())
    return hasher.hexdigest()[:16]


def _shown(value: Any) -> str:
    if isinstance(value, jax.ShapeDtypeStruct):
        return f"{value.dtype}{list(value.shape)}"
    return f"a {type(value).__name__}"
