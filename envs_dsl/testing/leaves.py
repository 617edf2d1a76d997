"""States and observations as flat lists of named arrays, to compare and to measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from envs_dsl.backends import map_leaves

__all__ = ["difference", "named", "rows"]


def named(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Every array in a state, an observation or a step's result, with the path to it."""
    if isinstance(value, dict):
        parts = value.items()
    elif hasattr(value, "_asdict"):
        parts = value._asdict().items()
    else:
        yield name, np.asarray(value)
        return
    for key, part in parts:
        path = key if not name or name == "fields" else f"{name}.{key}"
        yield from named(part, path)


def rows(value: Any, index: Any) -> Any:
    """The same structure with only some copies of the batch."""
    return map_leaves(lambda leaf: np.asarray(leaf)[index], value)


def difference(a: Any, b: Any, tolerance: float = 0.0) -> str | None:
    """Where two structures differ: the first array that does, in words; None where they are equal.

    Floats may differ by ``tolerance``, relative to the larger of 1 and their size; ints and bools
    may not.
    """
    others = dict(named(b))
    for name, one in named(a):
        other = others[name]
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"{name} is {_kind(one)} and {_kind(other)}"
        if one.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                apart = np.abs(one - other) > tolerance * np.maximum(1, np.abs(one))
                apart |= np.isnan(one) != np.isnan(other)
        else:
            apart = one != other
        if apart.any():
            spot = tuple(int(i) for i in np.argwhere(apart)[0])
            return f"{name}{list(spot)} is {one[spot]} and {other[spot]}"
    return None


def _kind(array: np.ndarray) -> str:
    return f"{array.dtype}{list(array.shape)}"
