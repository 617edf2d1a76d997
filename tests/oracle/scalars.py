"""Operators and builtins of single values: arithmetic, geometry, vectors, looks.

Where a builtin is lifted to grids, it is called once a cell. ``doubt`` notes that a float lay so
near to where the answer changes that another rounding could have answered otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from envs_dsl.language.vocabulary import DIR_DELTAS

from .numbers import NAN, float_floordiv, float_mod, single, to_int, wrap

__all__ = ["SCALARS", "chebyshev", "manhattan", "moved", "toward"]

Doubt = Callable[[float, float], None]
Pair = tuple[Any, Any]

STAY, UP, DOWN, LEFT, RIGHT = range(5)


# --- arithmetic -----------------------------------------------------------------------------------


def _add(doubt: Doubt, a: Any, b: Any) -> Any:
    if isinstance(b, tuple):
        return (single(a[0] + b[0]), single(a[1] + b[1]))
    if isinstance(a, tuple):
        return moved(a, b)
    return single(a + b) if isinstance(a, float) else wrap(a + b)


def _sub(doubt: Doubt, a: Any, b: Any) -> Any:
    if isinstance(b, tuple):
        return (single(a[0] - b[0]), single(a[1] - b[1]))
    if isinstance(a, tuple):
        return moved(a, b, -1)
    return single(a - b) if isinstance(a, float) else wrap(a - b)


def _mul(doubt: Doubt, a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        a, b = b, a
    if isinstance(b, tuple):
        factor = single(float(a))
        return (single(factor * b[0]), single(factor * b[1]))
    return single(a * b) if isinstance(a, float) else wrap(a * b)


def _quotient(a: float, b: float) -> float:
    return 0.0 if b == 0 else single(a / b)


def _div(doubt: Doubt, a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        divisor = single(float(b))
        return (_quotient(a[0], divisor), _quotient(a[1], divisor))
    return _quotient(a, b)


def _floordiv(doubt: Doubt, a: Any, b: Any) -> Any:
    if isinstance(a, float):
        if b != 0 and math.isfinite(a / b):
            doubt(a / b, float(round(a / b)))
        return 0.0 if b == 0 else float_floordiv(a, b)
    return 0 if b == 0 else wrap(a // b)


def _mod(doubt: Doubt, a: Any, b: Any) -> Any:
    if isinstance(a, float):
        if b != 0 and math.isfinite(a / b):
            doubt(a / b, float(round(a / b)))
        return 0.0 if b == 0 else float_mod(a, b)
    return 0 if b == 0 else wrap(a % b)


def _neg(doubt: Doubt, a: Any) -> Any:
    if isinstance(a, tuple):
        return (-a[0], -a[1])
    return -a if isinstance(a, float) else wrap(-a)


def _abs(doubt: Doubt, a: Any) -> Any:
    return abs(a) if isinstance(a, float) else wrap(abs(a))


def _smallest(a: Any, b: Any) -> Any:
    return NAN if a != a or b != b else min(a, b)


def _largest(a: Any, b: Any) -> Any:
    return NAN if a != a or b != b else max(a, b)


def _min(doubt: Doubt, *values: Any) -> Any:
    result = values[0]
    for value in values[1:]:
        result = _smallest(result, value)
    return result


def _max(doubt: Doubt, *values: Any) -> Any:
    result = values[0]
    for value in values[1:]:
        result = _largest(result, value)
    return result


def _clip(doubt: Doubt, value: Any, low: Any, high: Any) -> Any:
    return _smallest(_largest(value, low), high)


def _sign(doubt: Doubt, a: Any) -> Any:
    if isinstance(a, float):
        doubt(a, 0.0)
        return a if a != a else float((a > 0) - (a < 0))
    return (a > 0) - (a < 0)


def _floor(doubt: Doubt, a: float) -> int:
    if not math.isfinite(a):
        return to_int(a)
    doubt(a, float(round(a)))
    return to_int(float(math.floor(a)))


def _round(doubt: Doubt, a: float) -> int:
    if not math.isfinite(a):
        return to_int(a)
    doubt(a, math.floor(a) + 0.5)
    return to_int(float(round(a)))


def _sqrt(doubt: Doubt, a: float) -> float:
    return 0.0 if a < 0 else single(math.sqrt(a))


def _sin(doubt: Doubt, a: float) -> float:
    return single(math.sin(a)) if math.isfinite(a) else NAN


def _cos(doubt: Doubt, a: float) -> float:
    return single(math.cos(a)) if math.isfinite(a) else NAN


def _exp(doubt: Doubt, a: float) -> float:
    return math.inf if a > 200 else single(math.exp(a))


def _tanh(doubt: Doubt, a: float) -> float:
    return single(math.tanh(a))


def _lerp(doubt: Doubt, a: float, b: float, t: float) -> float:
    return single(a + single(single(b - a) * t))


# --- truth ----------------------------------------------------------------------------------------


def _eq(doubt: Doubt, a: Any, b: Any) -> bool:
    for x, y in zip(a, b) if isinstance(a, tuple) else ((a, b),):
        if isinstance(x, float):
            doubt(x, y)
    return bool(a == b)


def _ne(doubt: Doubt, a: Any, b: Any) -> bool:
    return not _eq(doubt, a, b)


def _compared(test: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    def compare(doubt: Doubt, a: Any, b: Any) -> bool:
        if isinstance(a, float):
            doubt(a, b)
        return test(a, b)

    return compare


def _chosen(doubt: Doubt, test: bool, a: Any, b: Any) -> Any:
    return a if test else b


# --- geometry -------------------------------------------------------------------------------------

_QUARTERS = {UP: LEFT, LEFT: DOWN, DOWN: RIGHT, RIGHT: UP, 5: 7, 7: 8, 8: 6, 6: 5, STAY: STAY}
"""Each direction turned 90 degrees to the left."""


def _turned(times: int) -> Callable[[Doubt, int], int]:
    def turn(doubt: Doubt, direction: int) -> int:
        for _ in range(times):
            direction = _QUARTERS[direction]
        return direction

    return turn


def moved(pos: Pair, direction: int, sign: int = 1) -> Pair:
    """The position one cell further in a direction."""
    rows, cols = DIR_DELTAS[direction]
    return (wrap(pos[0] + sign * rows), wrap(pos[1] + sign * cols))


def manhattan(a: Pair, b: Pair) -> int:
    return wrap(abs(a[0] - b[0]) + abs(a[1] - b[1]))


def chebyshev(a: Pair, b: Pair) -> int:
    return wrap(max(abs(a[0] - b[0]), abs(a[1] - b[1])))


def toward(a: Pair, b: Pair) -> int:
    """The move from ``a`` to ``b`` along the longer gap, rows on a tie."""
    rows, cols = b[0] - a[0], b[1] - a[1]
    if rows == 0 == cols:
        return STAY
    if abs(rows) >= abs(cols):
        return DOWN if rows > 0 else UP
    return RIGHT if cols > 0 else LEFT


# --- vectors --------------------------------------------------------------------------------------


def _unit(doubt: Doubt, angle: float) -> Pair:
    return (_cos(doubt, angle), _sin(doubt, angle))


def _rotate(doubt: Doubt, v: Pair, angle: float) -> Pair:
    cos, sin = _unit(doubt, angle)
    x = single(single(v[0] * cos) - single(v[1] * sin))
    return (x, single(single(v[0] * sin) + single(v[1] * cos)))


def _dot(doubt: Doubt, a: Pair, b: Pair) -> float:
    return single(single(a[0] * b[0]) + single(a[1] * b[1]))


def _length(doubt: Doubt, v: Pair) -> float:
    return single(math.sqrt(_dot(doubt, v, v)))


def _normalize(doubt: Doubt, v: Pair) -> Pair:
    length = _length(doubt, v)
    return (_quotient(v[0], length), _quotient(v[1], length))


def _vec(doubt: Doubt, direction: int) -> Pair:
    rows, cols = DIR_DELTAS[direction]
    return (float(cols), float(rows))


SCALARS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "neg": _neg,
    "abs": _abs,
    "min": _min,
    "max": _max,
    "clip": _clip,
    "sign": _sign,
    "floor": _floor,
    "round": _round,
    "sqrt": _sqrt,
    "sin": _sin,
    "cos": _cos,
    "exp": _exp,
    "tanh": _tanh,
    "lerp": _lerp,
    "to_float": lambda doubt, a: single(float(a)),
    "eq": _eq,
    "ne": _ne,
    "lt": _compared(lambda a, b: a < b),
    "le": _compared(lambda a, b: a <= b),
    "gt": _compared(lambda a, b: a > b),
    "ge": _compared(lambda a, b: a >= b),
    "and": lambda doubt, a, b: a and b,
    "or": lambda doubt, a, b: a or b,
    "not": lambda doubt, a: not a,
    "if_else": _chosen,
    "where": _chosen,
    "Pos": lambda doubt, row, col: (row, col),
    "opposite": _turned(2),
    "turn_left": _turned(1),
    "turn_right": _turned(3),
    "manhattan": lambda doubt, a, b: manhattan(a, b),
    "chebyshev": lambda doubt, a, b: chebyshev(a, b),
    "adjacent": lambda doubt, a, b: manhattan(a, b) == 1,
    "toward": lambda doubt, a, b: toward(a, b),
    "away": lambda doubt, a, b: _turned(2)(doubt, toward(a, b)),
    "Vec2": lambda doubt, x, y: (x, y),
    "vec": _vec,
    "unit": _unit,
    "rotate": _rotate,
    "normalize": _normalize,
    "length": _length,
    "dot": _dot,
    "opponent": lambda doubt, seat: wrap(1 - seat),
}
"""By name; each takes ``doubt`` and its arguments."""
