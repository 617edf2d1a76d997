"""Operators and mathematics, elementwise: ``(kit, node, *values) -> value``.

Where a builtin is lifted to grids, the caller has already given all values the rank of the result.
Ints wrap as int32; nothing divides by zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs_dsl.backends.kit import Kit
from envs_dsl.backends.layout import element, is_pair
from envs_dsl.backends.lookup import lookup
from envs_dsl.language.tree import Call
from envs_dsl.language.vocabulary import DIR_DELTAS

__all__ = ["ARITHMETIC", "deltas", "floor_int", "to_int"]

_ZERO, _HALF = np.float32(0), np.float32(0.5)
_DELTAS = np.array(DIR_DELTAS, np.int32)
_INT_MIN, _INT_MAX = np.int32(-(2**31)), np.int32(2**31 - 1)
_LIMIT = np.float32(2**31)
_BELOW_LIMIT = np.float32(2**31 - 128)  # the largest float32 that an int32 holds


def deltas(kit: Kit, code: Any) -> Any:
    """Directions as steps: int32[...] -> int32[..., 2] (rows, columns)."""
    if isinstance(code, np.ndarray):
        return _DELTAS[code]
    parts = [
        lookup(kit.xp, [step[axis] + 1 for step in DIR_DELTAS], code) - np.int32(1)
        for axis in (0, 1)
    ]
    return kit.xp.stack(parts, axis=-1)


def to_int(kit: Kit, whole: Any) -> Any:
    """Whole floats as int32: clamped, NaN -> 0."""
    xp = kit.xp
    held = xp.clip(xp.where(xp.isnan(whole), _ZERO, whole), -_LIMIT, _BELOW_LIMIT)
    return xp.where(whole >= _LIMIT, _INT_MAX, held.astype(np.int32))


def floor_int(kit: Kit, value: Any) -> Any:
    return to_int(kit, kit.xp.floor(value))


def _is_float(node: Call) -> bool:
    return element(node.type).kind in ("Float", "Vec2")


def _scale(node: Call, position: int, value: Any) -> Any:
    """A factor of a Vec2 product: numbers become float32 with an axis for the two parts."""
    return value if is_pair(node.args[position].type) else value.astype(np.float32)[..., None]


def _add(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    return a + deltas(kit, b) if element(node.type).kind == "Pos" else a + b


def _sub(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    return a - deltas(kit, b) if element(node.type).kind == "Pos" else a - b


def _mul(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    return _scale(node, 0, a) * _scale(node, 1, b) if is_pair(node.type) else a * b


def _div(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    if is_pair(node.type):
        b = _scale(node, 1, b)
    return kit.xp.where(b == _ZERO, _ZERO, a / kit.xp.where(b == _ZERO, np.float32(1), b))


def _remainder(kit: Kit, a: Any, b: Any) -> Any:
    """Float remainder with the divisor's sign; ``b`` has no zeros."""
    rest = kit.ops.fmod(a, b)
    return kit.xp.where((rest != _ZERO) & ((rest < _ZERO) != (b < _ZERO)), rest + b, rest)


def _floordiv(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    xp = kit.xp
    if not _is_float(node):
        safe = xp.where(b == np.int32(0), np.int32(1), b)
        return xp.where(b == np.int32(0), np.int32(0), a // safe)
    safe = xp.where(b == _ZERO, np.float32(1), b)
    # The quotient of what the remainder leaves is whole, but for rounding.
    quotient = xp.round((a - _remainder(kit, a, safe)) / safe)
    return xp.where(b == _ZERO, _ZERO, quotient)


def _mod(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    xp = kit.xp
    if not _is_float(node):
        safe = xp.where(b == np.int32(0), np.int32(1), b)
        return xp.where(b == np.int32(0), np.int32(0), a % safe)
    safe = xp.where(b == _ZERO, np.float32(1), b)
    return xp.where(b == _ZERO, _ZERO, _remainder(kit, a, safe))


def _eq(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    same = a == b
    return same[..., 0] & same[..., 1] if is_pair(node.args[0].type) else same


def _ne(kit: Kit, node: Call, a: Any, b: Any) -> Any:
    return ~_eq(kit, node, a, b)


def _where(kit: Kit, node: Call, test: Any, a: Any, b: Any) -> Any:
    return kit.xp.where(test[..., None] if is_pair(node.type) else test, a, b)


def _fold(function: str) -> Callable[..., Any]:
    def folded(kit: Kit, node: Call, *values: Any) -> Any:
        result = values[0]
        for value in values[1:]:
            result = getattr(kit.xp, function)(result, value)
        return result

    return folded


def _clip(kit: Kit, node: Call, value: Any, lo: Any, hi: Any) -> Any:
    return kit.xp.minimum(kit.xp.maximum(value, lo), hi)


def _sqrt(kit: Kit, node: Call, value: Any) -> Any:
    return kit.xp.sqrt(kit.xp.maximum(value, _ZERO))


def _unary(function: str) -> Callable[..., Any]:
    return lambda kit, node, value: getattr(kit.xp, function)(value)


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "neg": lambda kit, node, value: -value,
    "eq": _eq,
    "ne": _ne,
    "lt": lambda kit, node, a, b: a < b,
    "le": lambda kit, node, a, b: a <= b,
    "gt": lambda kit, node, a, b: a > b,
    "ge": lambda kit, node, a, b: a >= b,
    "and": lambda kit, node, a, b: a & b,
    "or": lambda kit, node, a, b: a | b,
    "not": lambda kit, node, value: ~value,
    "if_else": _where,
    "where": _where,
    "to_float": lambda kit, node, value: value.astype(np.float32),
    "abs": _unary("abs"),
    "min": _fold("minimum"),
    "max": _fold("maximum"),
    "clip": _clip,
    "sign": _unary("sign"),
    "floor": lambda kit, node, value: floor_int(kit, value),
    "round": lambda kit, node, value: to_int(kit, kit.xp.round(value)),
    "sqrt": _sqrt,
    "sin": _unary("sin"),
    "cos": _unary("cos"),
    "exp": _unary("exp"),
    "tanh": _unary("tanh"),
    "lerp": lambda kit, node, a, b, t: a + (b - a) * t,
    "opponent": lambda kit, node, seat: np.int32(1) - seat,
}
