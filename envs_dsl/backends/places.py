"""Stores to the state: they saturate to the declared range; where there is no place they drop."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.backends.grids import read_inside
from envs_dsl.backends.kit import Mask, both, clamp, select, static_int
from envs_dsl.backends.layout import element, int_bounds, pos_bounds
from envs_dsl.backends.machine import Key, Machine
from envs_dsl.language import tree as T
from envs_dsl.language.types import Field, Grid, TableRef

__all__ = ["assign", "saturate", "store", "swap"]


def saturate(m: Machine, declared: Field, value: Any, mask: Mask) -> Any:
    """``value`` (rank of a scalar, array or grid of ``declared``) held within the declared range.

    A NaN becomes the lower bound and sets the fault flag of the copies in ``mask``.
    """
    xp, kind = m.xp, element(declared.type).kind
    if kind == "Pos":
        return clamp(xp, value, *pos_bounds(m.size))
    if declared.range is None:
        return value
    if kind == "Int":
        return clamp(xp, value, *int_bounds(declared.range))
    low, high = np.float32(declared.range.lo), np.float32(declared.range.hi)
    nan = xp.isnan(value)
    if m.ops.traced or nan.any():
        m.fault(xp.any(nan.reshape(nan.shape[0], -1), axis=1), mask)
        value = xp.where(nan, low, value)
    return clamp(xp, value, low, high)


def declared_of(m: Machine, place: T.Place) -> Field:
    """The declaration of the field or column that a place belongs to."""
    field = m.tree.field(place.field)
    if place.column is None:
        return field
    assert isinstance(field.type, TableRef)
    columns = m.tree.row(field.type.row_type).columns
    return next(column for column in columns if column.name == place.column)


def store(m: Machine, place: T.Place, value: Any, mask: Mask) -> None:
    """Store ``value`` to a place, for the copies in ``mask`` (not DEAD)."""
    declared = declared_of(m, place)
    if place.row is not None:
        _store_row(m, place, declared, value, mask)
    elif place.index is None:
        key: Key = ("field", place.field)
        old = m.env[key]
        value = saturate(m, declared, _merged(m, place, value, old), mask)
        m.env[key] = m.full(select(m.xp, mask, value, old))
    elif isinstance(declared.type, Grid):
        _store_cell(m, place, declared, value, mask)
    else:
        _store_slot(m, place, declared, value, mask)


def _merged(m: Machine, place: T.Place, value: Any, old: Any) -> Any:
    """The whole pair, where ``place`` is one component of it."""
    if place.component is None:
        return value
    parts = [old[..., 0], old[..., 1]]
    parts[place.component] = m.xp.broadcast_to(value, parts[0].shape)
    return m.xp.stack(parts, axis=-1)


def _store_row(m: Machine, place: T.Place, declared: Field, value: Any, mask: Mask) -> None:
    assert place.row is not None
    index = m.rows[place.row]
    key: Key = ("column", place.field, str(place.column))
    column = m.env[key]
    if place.row in m.mortal:  # killed in this very trip: a dead row stays zero
        mask = both(mask, m.ops.take_slot(m.column(place.field, "alive"), index))
    old = m.ops.take_slot(column, index) if place.component is not None else None
    value = saturate(m, declared, _merged(m, place, value, old), mask)
    m.env[key] = m.ops.write_slot(column, index, mask, value)


def _store_cell(m: Machine, place: T.Place, declared: Field, value: Any, mask: Mask) -> None:
    assert place.index is not None
    pos = m.value_of(place.index, mask)
    grid = m.env[("field", place.field)]
    rows, cols = pos[:, 0], pos[:, 1]
    hit = both(mask, m.board.inside(rows, cols))
    if place.component is not None:
        value = _merged(m, place, value, read_inside(m.kit, grid, rows, cols)[0])
    value = saturate(m, declared, value, hit)
    m.env[("field", place.field)] = m.ops.write_cell(grid, rows, cols, hit, value)


def _store_slot(m: Machine, place: T.Place, declared: Field, value: Any, mask: Mask) -> None:
    assert place.index is not None
    index = m.value_of(place.index, mask)
    array = m.env[("field", place.field)]
    length = array.shape[1]
    known = static_int(index)
    if known is not None:
        if not 0 <= known < length:
            return
        index = known
    else:
        mask = both(mask, (index >= np.int32(0)) & (index < np.int32(length)))
    if place.component is not None:
        read = m.ops.take_slot if known is not None else m.ops.read_slot
        value = _merged(m, place, value, read(array, index))
    value = saturate(m, declared, value, mask)
    m.env[("field", place.field)] = m.ops.write_slot(array, index, mask, value)


def assign(m: Machine, node: T.Assign, mask: Mask) -> Mask:
    value = m.value_of(node.value, mask)
    assign_value(m, node.target, value, mask)
    return mask


def assign_value(m: Machine, target: T.Target, value: Any, mask: Mask) -> None:
    """Store to a local (as it is) or to the state."""
    if isinstance(target, T.Place):
        store(m, target, value, mask)
    else:
        old = None if mask is None else m.local(target.name, target.type)
        m.env[("local", target.name)] = select(m.xp, mask, value, old)


def swap(m: Machine, node: T.Swap, mask: Mask) -> Mask:
    first, second = m.value_of(node.first, mask), m.value_of(node.second, mask)
    grid = m.env[("field", node.field)]
    one, one_inside = read_inside(m.kit, grid, first[:, 0], first[:, 1])
    two, two_inside = read_inside(m.kit, grid, second[:, 0], second[:, 1])
    hit = both(mask, one_inside & two_inside)
    grid = m.ops.write_cell(grid, first[:, 0], first[:, 1], hit, two)
    m.env[("field", node.field)] = m.ops.write_cell(grid, second[:, 0], second[:, 1], hit, one)
    return mask
