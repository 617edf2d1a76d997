"""Random builtins: ``(machine, node, values, mask) -> value``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envs_dsl.backends.generators import GENERATORS
from envs_dsl.backends.grids import cell_pos, first_cell
from envs_dsl.backends.kit import Mask, expand
from envs_dsl.backends.machine import Machine
from envs_dsl.backends.random import draw_bits, uniform
from envs_dsl.language.tree import Call

__all__ = ["DRAWS"]


def _bits(m: Machine, node: Call, lane: int = 0, *, cells: bool = False) -> Any:
    numbers = m.board.cells if cells else None
    return draw_bits(m.inputs.block, node.site, m.index, lane, numbers)


def _rand(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return uniform(_bits(m, node))


def _uniform(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    low, high = values
    return low + (high - low) * uniform(_bits(m, node))


def _normal(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    xp = m.xp
    # Box-Muller; 1 - u lies in (0, 1], so the logarithm is finite.
    radius = xp.sqrt(np.float32(-2) * xp.log(np.float32(1) - uniform(_bits(m, node, 0))))
    angle = np.float32(2 * np.pi) * uniform(_bits(m, node, 1))
    value = radius * xp.cos(angle)
    return values[0] + values[1] * value if values else value


def _randint(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return _whole(m, _bits(m, node), *values)


def _randint_grid(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    low, high = values
    return _whole(m, _bits(m, node, cells=True), expand(low, 3), expand(high, 3))


def _whole(m: Machine, bits: Any, low: Any, high: Any) -> Any:
    """A whole number from ``low`` to ``high``; ``low`` where they are the wrong way round."""
    # The difference of two int32 fits an uint32; a span of 2^32 wraps to 0 and takes all bits.
    span = (high - low).astype(np.uint32) + np.uint32(1)
    safe = m.xp.where(span == np.uint32(0), np.uint32(1), span)
    offset = m.xp.where(span == np.uint32(0), bits, m.ops.unsigned_mod(bits, safe))
    return m.xp.where(high < low, low, low + offset.astype(np.int32))


def _chance(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return uniform(_bits(m, node)) < values[0]


def _random_dir(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return (_bits(m, node) & np.uint32(3)).astype(np.int32) + np.int32(1)


def _random_cell(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    keys = (_bits(m, node, cells=True) >> np.uint32(1)).astype(np.int32)
    keys = m.xp.where(values[0], keys, np.int32(-1))
    top = m.xp.max(keys, axis=(1, 2))
    none = top < 0
    m.fault(none, mask)
    number, _ = first_cell(m.kit, keys == expand(top, 3))
    return m.xp.where(none[:, None], np.int32(-1), cell_pos(m.kit, number))


def _chance_grid(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return uniform(_bits(m, node, cells=True)) < expand(values[0], 3)


def _pick(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    return _one_of(m, _bits(m, node), values)


def _pick_grid(m: Machine, node: Call, values: tuple[Any, ...], mask: Mask) -> Any:
    placed = tuple(value[:, None, None] for value in values)
    return _one_of(m, _bits(m, node, cells=True), placed)


def _one_of(m: Machine, bits: Any, values: tuple[Any, ...]) -> Any:
    choice = m.ops.unsigned_mod(bits, np.uint32(len(values)))
    choice = expand(choice, max(value.ndim for value in values))
    result = values[0]
    for i, value in enumerate(values[1:], start=1):
        result = m.xp.where(choice == np.uint32(i), value, result)
    return result


DRAWS: dict[str, Callable[..., Any]] = {
    "rand": _rand,
    "uniform": _uniform,
    "normal": _normal,
    "randint": _randint,
    "chance": _chance,
    "random_dir": _random_dir,
    "random_cell": _random_cell,
    "chance_grid": _chance_grid,
    "pick": _pick,
    "pick_grid": _pick_grid,
    "randint_grid": _randint_grid,
    **GENERATORS,
}
