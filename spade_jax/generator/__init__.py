"""Generators: what writes environments. ``make_generator`` finds one by name.

The protocol is ``spade_jax.types.Generator``; docs/generators.md shows how to bring your own.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from spade_jax.generator.errors import AWAITING, Awaiting, GeneratorError
from spade_jax.generator.make import Nothing, generator_names, make_generator
from spade_jax.types import Generator

__all__ = [
    "AWAITING",
    "Awaiting",
    "GeneratorError",
    "Nothing",
    "close",
    "generator_names",
    "load_state",
    "make_generator",
    "state_of",
]


def state_of(generator: Generator) -> dict[str, Any]:
    """The generator's state, as it will be read back from a checkpoint.

    Raises:
      GeneratorError: ``state_dict`` raises, or gives something else than JSON values.
    """
    try:
        state = json.loads(json.dumps(generator.state_dict()))
        if not isinstance(state, dict):
            raise TypeError(f"gave {type(state).__name__}, not dict")
    except Exception as error:  # a user's generator may raise anything
        what = f"state_dict(): {type(error).__name__}: {error}"
        raise GeneratorError(f"generator {generator.name}: {' '.join(what.split())}") from None
    return state


def load_state(generator: Generator, state: Mapping[str, Any]) -> None:
    """Put a state that ``state_of`` gave back.

    Raises:
      GeneratorError: the generator does not take it.
    """
    try:
        generator.load_state_dict(state)
    except Exception as error:
        what = f"load_state_dict(): {type(error).__name__}: {error}"
        raise GeneratorError(f"generator {generator.name}: {' '.join(what.split())}") from None


def close(generator: Generator) -> None:
    """End what a generator holds (processes, connections, files), if it says how: ``close()``."""
    end = getattr(generator, "close", None)
    if callable(end):
        with contextlib.suppress(Exception):  # the run is over: nothing depends on it any more
            end()
