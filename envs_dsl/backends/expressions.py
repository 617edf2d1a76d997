"""Values of expressions: ``(machine, node, mask) -> value``, one function a kind of node."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from envs_dsl.backends.arithmetic import ARITHMETIC, to_int
from envs_dsl.backends.draws import DRAWS
from envs_dsl.backends.geometry import GEOMETRY
from envs_dsl.backends.grids import GRIDS, read_board
from envs_dsl.backends.kit import Mask, expand, is_known, static_int
from envs_dsl.backends.layout import dtype_of, is_pair, zero
from envs_dsl.backends.machine import Machine
from envs_dsl.backends.tables import TABLES
from envs_dsl.language import tree as T
from envs_dsl.language.types import INT, Grid, Type
from envs_dsl.language.vocabulary import MOVES

__all__ = ["EXPRESSIONS", "PURE"]

PURE: dict[str, Callable[..., Any]] = ARITHMETIC | GEOMETRY | GRIDS
"""Builtins that depend on their arguments and the board's size alone."""


@functools.lru_cache(maxsize=4096)
def constant(value: bool | int, dtype: type) -> np.ndarray:
    """A constant shared by all copies, [1]; never written."""
    return np.array([value], dtype)


def _const(m: Machine, node: T.Const, mask: Mask) -> Any:
    return constant(node.value, dtype_of(node.type))


def _literal(m: Machine, node: T.Literal, mask: Mask) -> Any:
    hoisted = m.inputs.ints if node.type == INT else m.inputs.floats
    return hoisted[node.slot : node.slot + 1]


def _painted(m: Machine, node: T.Painted, mask: Mask) -> Any:
    cells = m.inputs.ints[node.slot : node.slot + len(node.cells)]
    return cells.reshape(1, *m.size)


def _param(m: Machine, node: T.ParamRef, mask: Mask) -> Any:
    value = m.inputs.params[:, node.index]
    return to_int(m.kit, m.xp.round(value)) if node.type == INT else value


def _local(m: Machine, node: T.LocalRef, mask: Mask) -> Any:
    return m.local(node.name, node.type)


def _field(m: Machine, node: T.FieldRef, mask: Mask) -> Any:
    return m.env[("field", node.field)]


def _column(m: Machine, node: T.Column, mask: Mask) -> Any:
    return m.ops.take_slot(m.column(node.table, node.column), m.rows[node.row])


def _component(m: Machine, node: T.Component, mask: Mask) -> Any:
    return m.value_of(node.base, mask)[..., node.axis]


def _clock(m: Machine, node: T.Clock, mask: Mask) -> Any:
    return m.inputs.clock


def _turn(m: Machine, node: T.Turn, mask: Mask) -> Any:
    return m.inputs.turn


def _element(m: Machine, node: T.Element, mask: Mask) -> Any:
    base = m.value_of(node.base, mask)
    index = m.value_of(node.index, mask)
    if isinstance(node.base.type, Grid):
        outside: Any = 0
        if isinstance(node.base, T.FieldRef):
            outside = m.tree.field(node.base.field).outside
        return read_board(m.kit, base, index, outside)
    known = static_int(index)
    if known is not None:
        if 0 <= known < base.shape[1]:
            return m.ops.take_slot(base, known)
        return zero(node.type, m.size)
    return m.ops.read_slot(base, index)


def _act(m: Machine, node: T.Act, mask: Mask) -> Any:
    actions = m.inputs.actions
    seat: Any = constant(0, np.int32) if node.seat is None else m.value_of(node.seat, mask)
    known = static_int(seat)
    if known is None:
        chosen = m.ops.read_slot(actions, seat)  # no such seat: STAY
    elif 0 <= known < actions.shape[1]:
        chosen = m.ops.take_slot(actions, known)
    else:
        chosen = constant(0, np.int32)
    if node.verb is not None:
        return chosen == np.int32(node.verb)
    return m.xp.where(chosen < np.int32(len(MOVES)), chosen, np.int32(0))


def _call(m: Machine, node: T.Call, mask: Mask) -> Any:
    values = tuple(m.value_of(arg, mask) for arg in node.args if not isinstance(arg, T.TableName))
    pure = PURE.get(node.op)
    if pure is None:
        if node.op in DRAWS:
            return DRAWS[node.op](m, node, values, mask)
        return TABLES[node.op](m, node, values, mask)
    kit = m.kit
    if m.ops.traced and is_known(values):
        kit = m.host  # constants stay known, so that indices made of them are slices
    if node.op in ARITHMETIC and isinstance(node.type, Grid):
        values = tuple(_on_board(arg.type, value) for arg, value in zip(node.args, values))
    return pure(kit, node, *values)


def _on_board(type_: Type, value: Any) -> Any:
    """A value with the rank of a grid."""
    if isinstance(type_, Grid):
        return value
    return value[:, None, None] if is_pair(type_) else expand(value, 3)


def _inline(m: Machine, node: T.Inline, mask: Mask) -> Any:
    for name, value in [(name, m.value_of(value, mask)) for name, value in node.params]:
        m.env[("local", name)] = value
    outer = m.entry, m.result
    m.depth, m.entry, m.result = m.depth + 1, mask, node.type
    m.run(node.body, mask)
    value = m.env.pop(("value", m.depth), None)
    m.env.pop(("returned", m.depth), None)
    m.depth, (m.entry, m.result) = m.depth - 1, outer
    for name, _ in node.params:
        del m.env[("local", name)]
    for name in m.locals_of(node):
        m.env.pop(("local", name), None)  # every call starts without locals
    return zero(node.type, m.size) if value is None else value


EXPRESSIONS: dict[type, Callable[..., Any]] = {
    T.Const: _const,
    T.Literal: _literal,
    T.Painted: _painted,
    T.ParamRef: _param,
    T.LocalRef: _local,
    T.FieldRef: _field,
    T.Element: _element,
    T.Column: _column,
    T.Component: _component,
    T.Call: _call,
    T.Inline: _inline,
    T.Act: _act,
    T.Clock: _clock,
    T.Turn: _turn,
}
