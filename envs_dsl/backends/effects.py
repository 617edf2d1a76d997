"""Effects: reward and outcome, spawning and killing rows, drawings of ``view``."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.backends.kit import Mask, both, expand, select, static_int
from envs_dsl.backends.layout import fresh_value
from envs_dsl.backends.machine import AGAIN, OUTCOME, SHAPING, Machine, Shape
from envs_dsl.backends.places import assign_value, saturate
from envs_dsl.backends.state import DRAW, LOSE, NONE, SEAT, WIN
from envs_dsl.language import tree as T
from envs_dsl.language.types import TableRef

__all__ = ["effect", "kill", "spawn"]

LARGEST = np.float32(1e6)
"""Rewards are held within this, so that sums of them stay finite."""

_CODES = {"win": WIN, "lose": LOSE, "draw": DRAW}


def effect(m: Machine, node: T.Effect, mask: Mask) -> Mask:
    if node.op == "reward":
        _reward(m, node, mask)
    elif node.op in _CODES:
        _outcome(m, node, mask)
    elif node.op == "again":
        stays = m.env[AGAIN]
        m.env[AGAIN] = m.full(select(m.xp, mask, np.ones(1, np.bool_), stays))
    else:
        _draw(m, node, mask)
    return mask


def _seat(m: Machine, seat: T.Expr, mask: Mask) -> tuple[Any, Mask]:
    """A seat int32[b], and the part of the mask for whom there is such a seat."""
    value = m.value_of(seat, mask)
    known = static_int(value)
    players = m.tree.game.players
    if known is None or not 0 <= known < players:
        mask = both(mask, (value >= np.int32(0)) & (value < np.int32(players)))
    return value, mask


def _reward(m: Machine, node: T.Effect, mask: Mask) -> None:
    xp, players = m.xp, m.tree.game.players
    amount = m.value_of(node.args[0], mask)
    nan = xp.isnan(amount)
    amount = xp.clip(xp.where(nan, np.float32(0), amount), -LARGEST, LARGEST)[:, None]
    if node.seat is not None:
        seat, mask = _seat(m, node.seat, mask)
        mine = np.arange(players, dtype=np.int32)[None] == seat[:, None]
        contest = m.tree.contest and players > 1
        others = -amount / np.float32(players - 1) if contest else np.float32(0)
        amount = xp.where(mine, amount, others)
    m.fault(nan, mask)
    paid = m.env[SHAPING]
    m.env[SHAPING] = m.full(select(xp, mask, paid + amount, paid))


def _outcome(m: Machine, node: T.Effect, mask: Mask) -> None:
    code: Any = np.full((1,), _CODES[node.op], np.int32)
    if node.seat is not None:
        seat, mask = _seat(m, node.seat, mask)
        code = seat + np.int32(SEAT)
    before = m.env[OUTCOME]
    after = m.xp.where(before == np.int32(NONE), code, before)
    m.env[OUTCOME] = m.full(select(m.xp, mask, after, before))


def _draw(m: Machine, node: T.Effect, mask: Mask) -> None:
    values = [m.value_of(arg, mask) for arg in node.args]
    seat = None if node.color is not None else values[2]
    m.shapes.append(Shape(node.op, tuple(values[:2]), node.color, seat, mask))


def spawn(m: Machine, node: T.Spawn, mask: Mask) -> Mask:
    xp = m.xp
    values = {name: m.value_of(value, mask) for name, value in node.columns}
    alive = m.column(node.table, "alive")
    slots = np.arange(m.capacity(node.table), dtype=np.int32)[None]
    first = xp.min(xp.where(alive, np.int32(slots.shape[1]), slots), axis=1)
    room = first < np.int32(slots.shape[1])
    hit = slots == first[:, None]  # nowhere when the table is full
    if mask is not None:
        hit = hit & mask[:, None]
    type_ = m.tree.field(node.table).type
    assert isinstance(type_, TableRef)
    for column in m.tree.row(type_.row_type).columns:
        value = values.get(column.name)
        if value is None:
            value = fresh_value(column, m.size)
        else:
            value = saturate(m, column, value, both(mask, room))
        old = m.column(node.table, column.name)
        new = xp.where(expand(hit, old.ndim), value[:, None], old)
        m.env[("column", node.table, column.name)] = m.full(new)
    m.env[("column", node.table, "alive")] = alive | hit
    if node.ok is not None:
        assign_value(m, node.ok, room, mask)
    return mask


def kill(m: Machine, node: T.Kill, mask: Mask) -> Mask:
    slots = np.arange(m.capacity(node.table), dtype=np.int32)[None]
    hit = slots == m.rows[node.row]
    if mask is not None:
        hit = hit & mask[:, None]
    for name in m.columns(node.table):
        old = m.column(node.table, name)
        new = m.xp.where(expand(hit, old.ndim), np.zeros((), old.dtype), old)
        m.env[("column", node.table, name)] = m.full(new)
    m.env[("column", node.table, "alive")] = m.full(m.column(node.table, "alive") & ~hit)
    for table, key in m.visits:
        if table == node.table:  # what is spawned into this row waits for the next loop
            m.env[key] = m.full(m.env[key] & ~hit)
    return mask
