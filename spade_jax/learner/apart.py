"""Parts of an executable that XLA leaves apart on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.experimental.xla_metadata import set_xla_metadata

__all__ = ["apart"]


def apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, as a call of its own in whatever it is traced into; the results are the same.

    XLA's CPU compiler fuses by repeating: what a step computes once is written out again in each
    of the loops that read it, and every one of those is compiled. It does not look across a call.
    Other compilers do not repeat so much, and start every loop of a call by itself: there
    ``function`` is returned as it is.
    """
    if jax.default_backend() != "cpu":
        return function

    def inner(*arguments: Any) -> Any:
        with set_xla_metadata(inlineable=None):  # not for the small calls inside
            return function(*arguments)

    traced = jax.jit(inner)

    def call(*arguments: Any) -> Any:
        with set_xla_metadata(inlineable="false"):
            return traced(*arguments)

    return call
