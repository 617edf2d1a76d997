"""Two back ends that run a program: batched NumPy, and JAX. Importing this imports no JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envs_dsl.backends.backend import Backend
from envs_dsl.backends.for_numpy import numpy_backend
from envs_dsl.backends.machine import Shape
from envs_dsl.backends.state import (
    Constants,
    State,
    StepOut,
    map_leaves,
    outcome_name,
    success,
    take,
)

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = [
    "Backend",
    "Constants",
    "Shape",
    "State",
    "StepOut",
    "jax_backend",
    "map_leaves",
    "numpy_backend",
    "outcome_name",
    "success",
    "take",
]


def jax_backend(program: Program) -> Backend:
    """The JAX back end of a program, shared by all programs of its skeleton (imports JAX)."""
    from envs_dsl.backends.for_jax import jax_backend as make

    return make(program)
