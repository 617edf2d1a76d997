"""int32 and float32 in plain Python: ints that wrap, floats rounded to single precision.

A Float is a Python float that a float32 can hold: a sum, product, quotient or root of two of them,
taken in double precision and rounded once, is the correctly rounded float32 result.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import random
from collections.abc import Iterator

__all__ = [
    "INT_MAX",
    "INT_MIN",
    "NAN",
    "approximate",
    "float_floordiv",
    "float_mod",
    "rounded",
    "shaken",
    "single",
    "to_int",
    "wrap",
]

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
NAN = math.nan


def wrap(value: int) -> int:
    """An int as int32, wrapped."""
    return (value + 2**31) % 2**32 - 2**31


def single(value: float) -> float:
    """A float rounded to float32."""
    return ctypes.c_float(value).value


def rounded(value: float, spread: float = 2.0**-22) -> float:
    """The result of an operation rounded to float32; where that is not exact, perhaps shaken."""
    result = single(value)
    if _noise and result != value and math.isfinite(result):
        result = single(result * (1 + spread * _noise[-1].uniform(-1, 1)))
    return result


def approximate(value: float) -> float:
    """The result of a function that libraries compute to within some units in the last place."""
    if value in (0.0, 1.0, -1.0):
        return value
    return rounded(value, 2.0**-20)


_noise: list[random.Random] = []


@contextlib.contextmanager
def shaken(seed: int) -> Iterator[None]:
    """Within it, results that float32 cannot hold exactly are off by a few units in the last place.

    What comes out differently under other seeds hangs on a rounding that is not fixed: a tie, or a
    number that the program makes ill-conditioned.
    """
    _noise.append(random.Random(seed))
    try:
        yield
    finally:
        _noise.pop()


def to_int(whole: float) -> int:
    """A float without a fraction as int32: clamped, 0 for NaN."""
    if math.isnan(whole):
        return 0
    return int(min(max(whole, float(INT_MIN)), float(INT_MAX)))


def float_floordiv(a: float, b: float) -> float:
    """(a - a % b) / b, rounded to the nearest whole number; ``b`` is not 0."""
    whole = rounded(rounded(a - float_mod(a, b)) / b)
    return float(round(whole)) if math.isfinite(whole) else whole


def float_mod(a: float, b: float) -> float:
    """The remainder with the divisor's sign, as Python has it; ``b`` is not 0."""
    if not math.isfinite(a) or math.isnan(b):
        return NAN
    return rounded(math.fmod(a, b) if a == 0 else a % b)
