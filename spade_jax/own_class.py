"""``module:Class``: how a person names something of their own, and what comes of calling it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

from spade_jax.errors import UserError, unknown_name

__all__ = ["OwnClassError", "is_own_class", "make_own", "told"]

_OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class OwnClassError(UserError):
    """Nothing can be made of the name; the message says why, not what it was wanted for."""


def is_own_class(name: str) -> bool:
    """Whether a name has the form ``module:Class``; nothing is imported."""
    return _OWN.fullmatch(name) is not None


def make_own(name: str) -> tuple[Callable[[], Any], Any]:
    """(the class or function that ``module:Class`` names, what it gives without arguments).

    Runs the user's module, which may do anything.

    Raises:
      OwnClassError: the form is wrong, the module or the class is not there, or making fails.
    """
    if not is_own_class(name):
        raise OwnClassError("expected module:Class, e.g. my_module:MyClass")
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise OwnClassError(f"cannot import {module_name} ({told(error)})") from error
    if not callable(made := getattr(module, attribute, None)):
        classes = [k for k, v in vars(module).items() if isinstance(v, type)]
        raise OwnClassError(str(unknown_name("class", attribute, classes, where=module_name)))
    try:
        return made, made()
    except TypeError as error:
        raise OwnClassError(f"cannot be made without arguments ({error})") from None
    except (Exception, SystemExit) as error:
        raise OwnClassError(f"cannot be made ({told(error)})") from None


def told(error: BaseException) -> str:
    """An exception of somebody else's code on one line."""
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"
