"""Generators: what writes environments. ``make_generator`` finds one by name.

The protocol is ``spade_jax.types.Generator``; docs/generators.md shows how to bring your own.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from spade_jax.errors import unknown_name
from spade_jax.generator.errors import AWAITING, Awaiting, GeneratorError
from spade_jax.types import Context, Generator, Outcome, Proposal

__all__ = [
    "AWAITING",
    "Awaiting",
    "GeneratorError",
    "Nothing",
    "generator_names",
    "load_state",
    "make_generator",
    "state_of",
]


class Nothing:
    """Proposes nothing: the fixed pool of the baseline."""

    name = "none"

    def propose(self, context: Context, n: int) -> Sequence[Proposal]:
        """No proposals."""
        return ()

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Nothing to learn from."""

    def state_dict(self) -> dict[str, Any]:
        """No state."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """No state."""


def _evolve() -> Generator:
    from spade_jax.generator.evolve import Evolve

    return Evolve()


_REGISTRY: dict[str, Callable[[], Generator]] = {"evolve": _evolve, "none": Nothing}


def generator_names() -> tuple[str, ...]:
    """Names that ``make_generator`` knows; ``module:Class`` works besides."""
    return tuple(sorted(_REGISTRY))


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


def make_generator(name: str) -> Generator:
    """A new generator.

    Args:
      name: one of ``generator_names()``, or ``module:Class`` of an importable class that can be
        called without arguments.

    Raises:
      GeneratorError (a ValueError): unknown name (the nearest one is offered), module or class, or
        a class without one of the protocol's methods.
    """
    if name in _REGISTRY:
        return _REGISTRY[name]()
    if ":" not in name:
        raise GeneratorError(str(unknown_name("generator", name, _REGISTRY)))
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise GeneratorError(f"generator {name!r}: cannot import {module_name} ({error})") from None
    except Exception as error:  # a user's module may raise anything, as may a malformed name
        what = f"{type(error).__name__}: {error}"
        raise GeneratorError(f"generator {name!r}: cannot import {module_name} ({what})") from None
    if not callable(made := getattr(module, attribute, None)):
        classes = [k for k, v in vars(module).items() if isinstance(v, type)]
        raise GeneratorError(str(unknown_name("class", attribute, classes, where=module_name)))
    try:
        generator = made()
    except TypeError as error:
        raise GeneratorError(
            f"generator {name!r}: cannot be made without arguments ({error})"
        ) from None
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}"
        raise GeneratorError(f"generator {name!r}: cannot be made ({what})") from None
    for method in ("propose", "observe", "state_dict", "load_state_dict"):
        if not callable(getattr(generator, method, None)):
            raise GeneratorError(f"generator {name!r} has no method {method}()")
    if not isinstance(getattr(generator, "name", None), str):
        raise GeneratorError(f"generator {name!r} has no attribute 'name' (a string)")
    return cast(Generator, generator)
