"""Random draws of an original that uses ``jax.random``, given instead of drawn."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import jax

__all__ = ["injected"]


@contextlib.contextmanager
def injected(**draws: list[Any]) -> Iterator[None]:
    """Let functions of ``jax.random`` return given values, in the order of their calls.

    To be opened inside the function that is traced: what is traced then holds the values as
    ordinary inputs. ``injected(randint=[a, b])`` answers two calls of ``jax.random.randint``.

    Raises:
      AssertionError: the original drew more often, or less often, than values were given.
    """
    left = {name: list(values) for name, values in draws.items()}

    def answer(name: str) -> Any:
        def draw(*args: Any, **kwargs: Any) -> Any:
            assert left[name], f"jax.random.{name} was called once too often"
            return left[name].pop(0)

        return draw

    with contextlib.ExitStack() as stack:
        for name in draws:
            stack.enter_context(mock.patch.object(jax.random, name, answer(name)))
        yield
    unused = [name for name, values in left.items() if values]
    assert not unused, f"not drawn: {unused}"
