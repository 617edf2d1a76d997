"""The JAX back end: traceable functions for training. Importing this module imports JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envs_dsl.backends.backend import Backend, Cache
from envs_dsl.backends.jax_ops import JAX

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["jax_backend"]

_CACHE = Cache(JAX)


def jax_backend(program: Program) -> Backend:
    """The JAX back end of a program, shared by all programs of its skeleton."""
    return _CACHE(program)
