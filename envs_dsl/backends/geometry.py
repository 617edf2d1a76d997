"""Positions, directions and vectors: ``(kit, node, *values) -> value``, all scalars of a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs_dsl.backends.arithmetic import deltas, floor_int
from envs_dsl.backends.kit import Kit
from envs_dsl.backends.lookup import lookup
from envs_dsl.language.vocabulary import DIRS

__all__ = ["GEOMETRY", "manhattan", "toward"]

_STAY, _UP, _DOWN, _LEFT, _RIGHT = (np.int32(DIRS.index(d)) for d in DIRS[:5])


def _turns(pairs: dict[str, str]) -> list[int]:
    return [DIRS.index(pairs[name]) for name in DIRS]


_LEFT_OF = {
    "STAY": "STAY",
    "UP": "LEFT",
    "LEFT": "DOWN",
    "DOWN": "RIGHT",
    "RIGHT": "UP",
    "UP_LEFT": "DOWN_LEFT",
    "DOWN_LEFT": "DOWN_RIGHT",
    "DOWN_RIGHT": "UP_RIGHT",
    "UP_RIGHT": "UP_LEFT",
}
_TURN_LEFT = _turns(_LEFT_OF)
_TURN_RIGHT = _turns({b: a for a, b in _LEFT_OF.items()})
_OPPOSITE = _turns({name: _LEFT_OF[_LEFT_OF[name]] for name in DIRS})


def _turned(table: list[int]) -> Callable[..., Any]:
    return lambda kit, node, code: lookup(kit.xp, table, code)


def _pair(kit: Kit, first: Any, second: Any) -> Any:
    first, second = kit.xp.broadcast_arrays(first, second)
    return kit.xp.stack([first, second], axis=-1)


def manhattan(kit: Kit, a: Any, b: Any) -> Any:
    """int32[..., 2] each -> int32[...]."""
    gap = kit.xp.abs(a - b)
    return gap[..., 0] + gap[..., 1]


def chebyshev(kit: Kit, a: Any, b: Any) -> Any:
    """int32[..., 2] each -> int32[...]."""
    gap = kit.xp.abs(a - b)
    return kit.xp.maximum(gap[..., 0], gap[..., 1])


def toward(kit: Kit, a: Any, b: Any) -> Any:
    """Direction of the move from ``a`` to ``b`` along the longer gap: int32[b]."""
    xp = kit.xp
    gap = b - a
    rows, cols = gap[..., 0], gap[..., 1]
    along_rows = xp.where(rows < 0, _UP, _DOWN)
    along_cols = xp.where(cols < 0, _LEFT, _RIGHT)
    move = xp.where(xp.abs(rows) >= xp.abs(cols), along_rows, along_cols)
    return xp.where((rows == 0) & (cols == 0), _STAY, move)


def _length(kit: Kit, v: Any) -> Any:
    return kit.xp.sqrt(v[..., 0] * v[..., 0] + v[..., 1] * v[..., 1])


def _normalize(kit: Kit, node: Any, v: Any) -> Any:
    length = _length(kit, v)[..., None]
    none = length == np.float32(0)
    return kit.xp.where(none, np.float32(0), v / kit.xp.where(none, np.float32(1), length))


def _rotate(kit: Kit, node: Any, v: Any, angle: Any) -> Any:
    sin, cos = kit.xp.sin(angle), kit.xp.cos(angle)
    x, y = v[..., 0], v[..., 1]
    return _pair(kit, x * cos - y * sin, x * sin + y * cos)


def _cell(kit: Kit, node: Any, v: Any) -> Any:
    middle = np.float32(kit.board.height / 2), np.float32(kit.board.width / 2)
    return _pair(kit, floor_int(kit, v[..., 1] + middle[0]), floor_int(kit, v[..., 0] + middle[1]))


def _opposite_of_toward(kit: Kit, node: Any, a: Any, b: Any) -> Any:
    return lookup(kit.xp, _OPPOSITE, toward(kit, a, b))


GEOMETRY: dict[str, Callable[..., Any]] = {
    "Pos": lambda kit, node, row, col: _pair(kit, row, col),
    "opposite": _turned(_OPPOSITE),
    "turn_left": _turned(_TURN_LEFT),
    "turn_right": _turned(_TURN_RIGHT),
    "manhattan": lambda kit, node, a, b: manhattan(kit, a, b),
    "chebyshev": lambda kit, node, a, b: chebyshev(kit, a, b),
    "inside": lambda kit, node, p: kit.board.inside(p[..., 0], p[..., 1]),
    "adjacent": lambda kit, node, a, b: manhattan(kit, a, b) == np.int32(1),
    "toward": lambda kit, node, a, b: toward(kit, a, b),
    "away": _opposite_of_toward,
    "Vec2": lambda kit, node, x, y: _pair(kit, x, y),
    "vec": lambda kit, node, code: deltas(kit, code)[..., ::-1].astype(np.float32),
    "unit": lambda kit, node, angle: _pair(kit, kit.xp.cos(angle), kit.xp.sin(angle)),
    "rotate": _rotate,
    "normalize": _normalize,
    "length": lambda kit, node, v: _length(kit, v),
    "dot": lambda kit, node, a, b: a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1],
    "cell": _cell,
}
