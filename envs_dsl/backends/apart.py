"""Parts of an executable that XLA leaves apart on the CPU. Importing this imports JAX."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.experimental.xla_metadata import set_xla_metadata

__all__ = ["apart", "held"]

_inside = contextvars.ContextVar("_inside", default=False)
"""Whether what is being traced is a part that stands apart."""


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
        before = _inside.set(True)
        try:
            with set_xla_metadata(inlineable=None):  # not for the small calls inside
                return function(*arguments)
        finally:
            _inside.reset(before)

    traced = jax.jit(inner)

    def call(*arguments: Any) -> Any:
        with set_xla_metadata(inlineable="false"):
            return traced(*arguments)

    return call


def held(values: Any) -> Any:
    """``values`` (a tree of arrays), computed once on the CPU for all readers; see ``apart``.

    ``optimization_barrier`` says the same, but XLA's CPU compiler drops it before it fuses. Inside
    a part that stands apart they are returned as they are: there calls inside a call cost more to
    compile, and do not run faster.
    """
    return values if _inside.get() else _holder()(values)


@functools.cache
def _holder() -> Callable[..., Any]:
    return apart(lambda values: values)
