"""The batched NumPy back end: no compilation; for screening, search and debugging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envs_dsl.backends.backend import Backend, Cache
from envs_dsl.backends.numpy_ops import NUMPY

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["numpy_backend"]

_CACHE = Cache(NUMPY)


def numpy_backend(program: Program) -> Backend:
    """The NumPy back end of a program, shared by all programs of its skeleton."""
    return _CACHE(program)
