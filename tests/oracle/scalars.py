"""Operators and builtins of single values: arithmetic, geometry, vectors, looks.

Where a builtin is lifted to grids, it is called once a cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from envs_dsl.language.vocabulary import DIR_DELTAS

from .numbers import NAN, approximate, float_floordiv, float_mod, rounded, single, to_int, wrap

__all__ = ["SCALARS", "chebyshev", "manhattan", "moved", "toward"]

Pair = tuple[Any, Any]

STAY, UP, DOWN, LEFT, RIGHT = range(5)


# --- arithmetic -----------------------------------------------------------------------------------


def _add(a: Any, b: Any) -> Any:
    if isinstance(b, tuple):
        return (rounded(a[0] + b[0]), rounded(a[1] + b[1]))
    if isinstance(a, tuple):
        return moved(a, b)
    return rounded(a + b) if isinstance(a, float) else wrap(a + b)


def _sub(a: Any, b: Any) -> Any:
    if isinstance(b, tuple):
        return (rounded(a[0] - b[0]), rounded(a[1] - b[1]))
    if isinstance(a, tuple):
        return moved(a, b, -1)
    return rounded(a - b) if isinstance(a, float) else wrap(a - b)


def _mul(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        a, b = b, a
    if isinstance(b, tuple):
        factor = single(float(a))
        return (rounded(factor * b[0]), rounded(factor * b[1]))
    return rounded(a * b) if isinstance(a, float) else wrap(a * b)


def _quotient(a: float, b: float) -> float:
    return 0.0 if b == 0 else rounded(a / b)


def _div(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        divisor = single(float(b))
        return (_quotient(a[0], divisor), _quotient(a[1], divisor))
    return _quotient(a, b)


def _floordiv(a: Any, b: Any) -> Any:
    if isinstance(a, float):
        return 0.0 if b == 0 else float_floordiv(a, b)
    return 0 if b == 0 else wrap(a // b)


def _mod(a: Any, b: Any) -> Any:
    if isinstance(a, float):
        return 0.0 if b == 0 else float_mod(a, b)
    return 0 if b == 0 else wrap(a % b)


def _neg(a: Any) -> Any:
    if isinstance(a, tuple):
        return (-a[0], -a[1])
    return -a if isinstance(a, float) else wrap(-a)


def _abs(a: Any) -> Any:
    return abs(a) if isinstance(a, float) else wrap(abs(a))


def _smallest(a: Any, b: Any) -> Any:
    return NAN if a != a or b != b else min(a, b)


def _largest(a: Any, b: Any) -> Any:
    return NAN if a != a or b != b else max(a, b)


def _min(*values: Any) -> Any:
    result = values[0]
    for value in values[1:]:
        result = _smallest(result, value)
    return result


def _max(*values: Any) -> Any:
    result = values[0]
    for value in values[1:]:
        result = _largest(result, value)
    return result


def _clip(value: Any, low: Any, high: Any) -> Any:
    return _smallest(_largest(value, low), high)


def _sign(a: Any) -> Any:
    if isinstance(a, float):
        return a if a != a else float((a > 0) - (a < 0))
    return (a > 0) - (a < 0)


def _floor(a: float) -> int:
    return to_int(float(math.floor(a)) if math.isfinite(a) else a)


def _round(a: float) -> int:
    return to_int(float(round(a)) if math.isfinite(a) else a)


def _sqrt(a: float) -> float:
    return 0.0 if a < 0 else rounded(math.sqrt(a))


def _sin(a: float) -> float:
    return approximate(math.sin(a)) if math.isfinite(a) else NAN


def _cos(a: float) -> float:
    return approximate(math.cos(a)) if math.isfinite(a) else NAN


def _exp(a: float) -> float:
    return math.inf if a > 200 else approximate(math.exp(a))


def _tanh(a: float) -> float:
    return approximate(math.tanh(a))


def _lerp(a: float, b: float, t: float) -> float:
    return rounded(a + rounded(rounded(b - a) * t))


# --- truth ----------------------------------------------------------------------------------------


def _eq(a: Any, b: Any) -> bool:
    return bool(a == b)


def _ne(a: Any, b: Any) -> bool:
    return not _eq(a, b)


def _compared(test: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    def compare(a: Any, b: Any) -> bool:
        return test(a, b)

    return compare


def _chosen(test: bool, a: Any, b: Any) -> Any:
    return a if test else b


# --- geometry -------------------------------------------------------------------------------------

_QUARTERS = {UP: LEFT, LEFT: DOWN, DOWN: RIGHT, RIGHT: UP, 5: 7, 7: 8, 8: 6, 6: 5, STAY: STAY}
"""Each direction turned 90 degrees to the left."""


def _turned(times: int) -> Callable[[int], int]:
    def turn(direction: int) -> int:
        for _ in range(times):
            direction = _QUARTERS[direction]
        return direction

    return turn


def moved(pos: Pair, direction: int, sign: int = 1) -> Pair:
    """The position one cell further in a direction."""
    rows, cols = DIR_DELTAS[direction]
    return (wrap(pos[0] + sign * rows), wrap(pos[1] + sign * cols))


def _gap(a: int, b: int) -> int:
    """How far apart, in Int arithmetic."""
    return wrap(abs(wrap(a - b)))


def manhattan(a: Pair, b: Pair) -> int:
    return wrap(_gap(a[0], b[0]) + _gap(a[1], b[1]))


def chebyshev(a: Pair, b: Pair) -> int:
    return max(_gap(a[0], b[0]), _gap(a[1], b[1]))


def toward(a: Pair, b: Pair) -> int:
    """The move from ``a`` to ``b`` along the longer gap, rows on a tie."""
    rows, cols = wrap(b[0] - a[0]), wrap(b[1] - a[1])
    if rows == 0 == cols:
        return STAY
    if _gap(b[0], a[0]) >= _gap(b[1], a[1]):
        return UP if rows < 0 else DOWN
    return LEFT if cols < 0 else RIGHT


# --- vectors --------------------------------------------------------------------------------------


def _unit(angle: float) -> Pair:
    return (_cos(angle), _sin(angle))


def _rotate(v: Pair, angle: float) -> Pair:
    cos, sin = _unit(angle)
    x = rounded(rounded(v[0] * cos) - rounded(v[1] * sin))
    return (x, rounded(rounded(v[0] * sin) + rounded(v[1] * cos)))


def _dot(a: Pair, b: Pair) -> float:
    return rounded(rounded(a[0] * b[0]) + rounded(a[1] * b[1]))


def _length(v: Pair) -> float:
    return rounded(math.sqrt(_dot(v, v)))


def _normalize(v: Pair) -> Pair:
    length = _length(v)
    return (_quotient(v[0], length), _quotient(v[1], length))


def _vec(direction: int) -> Pair:
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
    "to_float": lambda a: single(float(a)),
    "eq": _eq,
    "ne": _ne,
    "lt": _compared(lambda a, b: a < b),
    "le": _compared(lambda a, b: a <= b),
    "gt": _compared(lambda a, b: a > b),
    "ge": _compared(lambda a, b: a >= b),
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "if_else": _chosen,
    "where": _chosen,
    "Pos": lambda row, col: (row, col),
    "opposite": _turned(2),
    "turn_left": _turned(1),
    "turn_right": _turned(3),
    "manhattan": lambda a, b: manhattan(a, b),
    "chebyshev": lambda a, b: chebyshev(a, b),
    "adjacent": lambda a, b: manhattan(a, b) == 1,
    "toward": lambda a, b: toward(a, b),
    "away": lambda a, b: _turned(2)(toward(a, b)),
    "Vec2": lambda x, y: (x, y),
    "vec": _vec,
    "unit": _unit,
    "rotate": _rotate,
    "normalize": _normalize,
    "length": _length,
    "dot": _dot,
    "opponent": lambda seat: wrap(1 - seat),
}
"""By name."""
