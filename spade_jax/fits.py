"""Whether JSON values are what an annotation says, and what of them is not, in a few words."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

__all__ = ["hints_of", "misfit"]

_NAMES = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
_MOST = 1 << 64  # of a whole number: seeds have 64 bits, and what is counted is far less


@functools.cache
def hints_of(cls: type) -> Mapping[str, Any]:
    """The annotations of a record (a dataclass or a typed dictionary), by field."""
    return get_type_hints(cls)


def misfit(value: Any, hint: Any, name: str) -> str:
    """What does not fit, by ``name`` of the value; "" where all does.

    Args:
      value: JSON values. hint: a scalar type, a union, a sequence, tuple or mapping of such, or a
        record, whose unknown fields are let pass. Any other hint fits everything.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        faults = [misfit(value, part, name) for part in inner]
        return faults[0] if all(faults) else ""
    if hint is type(None):
        return "" if value is None else f"{name} is not null"
    if hint in _NAMES:
        return "" if _scalar(value, hint) else f"{name} is {value!r:.40}, not {_NAMES[hint]}"
    if is_typeddict(hint) or dataclasses.is_dataclass(hint):
        return _of_keys(value, hint, name)
    if hint is Mapping or origin in (Mapping, dict):
        if not isinstance(value, Mapping):
            return f"{name} is {value!r:.40}, not fields of its own"
        each = inner[1] if inner else Any
        return _first(misfit(v, each, f"{name}.{k!s:.40}") for k, v in value.items())
    if origin in (tuple, list, Sequence):
        return _of_items(value, origin, inner, name)
    return ""


def _scalar(value: Any, kind: type) -> bool:
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    if isinstance(value, int):
        return kind in (int, float) and abs(value) < _MOST
    return isinstance(value, kind)


def _of_keys(value: Any, hint: Any, name: str) -> str:
    if not isinstance(value, Mapping):
        return f"{name} is {value!r:.40}, not fields of its own"
    missing = [key for key in _required(hint) if key not in value]
    if missing:
        return f"{name} has no {missing[0]}"
    known = {key: part for key, part in hints_of(hint).items() if key in value}
    return _first(misfit(value[key], part, key) for key, part in known.items())


def _required(record: Any) -> list[str]:
    if is_typeddict(record):  # not by its __required_keys__, where annotations are texts
        extras = get_type_hints(record, include_extras=True)
        whole = record.__total__
        return [key for key, hint in extras.items() if whole or get_origin(hint) is Required]
    absent = dataclasses.MISSING
    fields = dataclasses.fields(record)
    return [f.name for f in fields if f.default is absent and f.default_factory is absent]


def _of_items(value: Any, origin: Any, inner: tuple[Any, ...], name: str) -> str:
    if not isinstance(value, list | tuple):
        return f"{name} is {value!r:.40}, not a list"
    if origin is tuple and inner[-1] is not Ellipsis:
        if len(value) != len(inner):
            return f"{name} has {len(value)} values, not {len(inner)}"
        parts = inner
    else:
        parts = (inner[0],) * len(value)
    each = zip(value, parts, strict=True)
    return _first(misfit(item, part, f"an item of {name}") for item, part in each)


def _first(faults: Iterator[str]) -> str:
    return next(filter(None, faults), "")
