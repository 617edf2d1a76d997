"""Configurations: frozen dataclasses ⇄ YAML, presets, and errors that name the nearest field.

Nothing here knows which fields there are: it works for whatever dataclass it is handed, so a new
field of the library is a new flag and a new YAML key without a change in this file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from spade_jax.errors import UserError, nearest, unknown_name
from spade_jax.plain_yaml import read_yaml

__all__ = ["from_plain", "load_file", "load_preset", "presets", "to_plain"]

_PRESETS = "presets"


def presets() -> tuple[str, ...]:
    """Names of the bundled presets."""
    folder = resources.files("experiments") / _PRESETS
    return tuple(
        sorted(f.name[: -len(".yaml")] for f in folder.iterdir() if f.name.endswith(".yaml"))
    )


def load_preset(name: str, base: Any) -> Any:
    """The configuration ``base`` with the fields a preset sets.

    Raises:
      UserError: there is no such preset.
    """
    if name not in presets():
        raise unknown_name("preset", name, presets())
    text = (resources.files("experiments") / _PRESETS / f"{name}.yaml").read_text(encoding="utf-8")
    return _load(text, f"preset {name}", base)


def load_file(path: Path, base: Any) -> Any:
    """The configuration ``base`` with the fields a YAML file sets.

    Raises:
      UserError: unreadable, not YAML, an unknown field, a value of the wrong type.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UserError(f"cannot read configuration {path}: {reason}") from None
    return _load(text, str(path), base)


def _load(text: str, where: str, base: Any) -> Any:
    try:
        data = read_yaml(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "cannot be read"
        raise UserError(f"{where}{line}: not YAML: {problem}") from None
    except (ValueError, RecursionError) as error:  # impossible dates, endless numbers, deep nesting
        raise UserError(f"{where}: cannot be read: {error}") from None
    if data is None:
        return base
    if not isinstance(data, Mapping):
        raise UserError(f"{where}: expected `field: value` lines, got {_shape(data)}")
    return from_plain(base, data, where=where)


def to_plain(config: Any) -> dict[str, Any]:
    """A configuration as YAML values; ``from_plain`` of it gives the configuration back."""
    return {f.name: _plain(getattr(config, f.name)) for f in dataclasses.fields(config)}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_plain(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, Path):
        return str(value)
    return value


def from_plain(base: Any, data: Mapping[str, Any], *, where: str) -> Any:
    """``base`` (a dataclass instance) with the fields of ``data`` put in, nested ones too.

    Raises:
      UserError: names the field by its path and the nearest valid field, or the type expected.
    """
    return _merge(base, data, where, "", _paths(base))


def _paths(base: Any, prefix: str = "") -> list[str]:
    found: list[str] = []
    for field in dataclasses.fields(base):
        value = getattr(base, field.name)
        found.append(prefix + field.name)
        if dataclasses.is_dataclass(value):
            found += _paths(value, f"{prefix}{field.name}.")
    return found


def _merge(base: Any, data: Mapping[str, Any], where: str, prefix: str, paths: list[str]) -> Any:
    hints = typing.get_type_hints(type(base))
    known = {f.name for f in dataclasses.fields(base)}
    changes: dict[str, Any] = {}
    for key, value in data.items():
        path = f"{prefix}{key}"
        if key not in known:
            # A slip within this level is likelier than a field of another level.
            guess = nearest(str(key), known)
            guess = prefix + guess if guess else nearest(path, paths)
            hint = f"did you mean {guess!r}?" if guess else f"known: {', '.join(sorted(known))}"
            raise UserError(f"{where}: unknown field {path!r}; {hint}")
        current = getattr(base, key)
        if dataclasses.is_dataclass(current):
            if not isinstance(value, Mapping):
                raise UserError(f"{where}: {path}: expected fields of its own, got {_shape(value)}")
            changes[key] = _merge(current, value, where, f"{path}.", paths)
        else:
            changes[key] = _convert(value, hints[key], f"{where}: {path}")
    try:
        return dataclasses.replace(base, **changes)
    except ValueError as error:  # a check of the dataclass's own
        raise UserError(f"{where}: {error}") from None


def _convert(value: Any, kind: Any, where: str) -> Any:
    """``value``, as YAML gave it, as the annotated type ``kind``."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin is typing.Annotated:
        return _convert(value, args[0], where)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in args:
            return None
        options = [a for a in args if a is not type(None)]
        return (
            _convert(value, options[0], where)
            if len(options) == 1
            else _first(value, options, where)
        )
    if origin is typing.Literal:
        # YAML reads a bare on/off as a switch; where the words themselves are meant, take them.
        words = (
            {True: ("on", "true"), False: ("off", "false")}.get(value, ())
            if isinstance(value, bool)
            else ()
        )
        for choice in args:
            if (type(choice) is type(value) and choice == value) or choice in words:
                return choice
        guess = nearest(str(value), map(str, args))
        hint = f"did you mean {guess!r}?" if guess else f"one of {', '.join(map(str, args))}"
        raise UserError(f"{where}: {value!r} is not possible; {hint}")
    if origin in (tuple, list):
        return _sequence(value, origin, args, where)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise UserError(f"{where}: expected names with values, got {_shape(value)}")
        return {_convert(k, args[0], where): _convert(v, args[1], where) for k, v in value.items()}
    return _scalar(value, kind, where)


def _first(value: Any, options: list[Any], where: str) -> Any:
    problems: list[str] = []
    for option in options:
        try:
            return _convert(value, option, where)
        except UserError as error:
            problems.append(str(error))
    raise UserError(problems[0])


def _sequence(value: Any, origin: type, args: tuple[Any, ...], where: str) -> Any:
    if not isinstance(value, list | tuple):
        raise UserError(f"{where}: expected a list, got {_shape(value)}")
    if origin is tuple and args and args[-1] is not Ellipsis:
        if len(value) != len(args):
            raise UserError(f"{where}: expected {len(args)} values, got {len(value)}")
        return tuple(_convert(v, a, where) for v, a in zip(value, args, strict=True))
    item = args[0] if args else Any
    return origin(_convert(v, item, where) for v in value)


def _scalar(value: Any, kind: Any, where: str) -> Any:
    if kind is float:
        # YAML 1.1 reads 3e-4 as text
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            with contextlib.suppress(ValueError, OverflowError):
                if math.isfinite(number := float(value)):
                    return number
        raise UserError(f"{where}: expected a number")
    if kind is int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise UserError(f"{where}: expected a whole number, got {value!r}")
    if kind is bool:
        if isinstance(value, bool):
            return value
        raise UserError(f"{where}: expected on or off, got {value!r}")
    if kind is str:
        if isinstance(value, str):
            return value
        if value is False:  # YAML reads a bare off/no as a switch
            return "off"
        raise UserError(f"{where}: expected a text, got {_shape(value)}")
    if kind is Path and isinstance(value, str):
        return Path(value)
    if isinstance(kind, type) and isinstance(value, kind):
        return value
    raise UserError(f"{where}: {_shape(value)} cannot be put here")


def _shape(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    return repr(value)
