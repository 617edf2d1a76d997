"""The hud: every visible field outside the grids, scaled and grouped by kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.interface.plan import Place, Plan, kind_of, place
from envs_dsl.language import slots
from envs_dsl.language.types import Scalar, TableRef
from envs_dsl.language.vocabulary import ACTIONS, DIR_DELTAS

__all__ = ["clock", "hud_of"]

_DELTAS = np.asarray(DIR_DELTAS, np.int32)


def clock(xp: Any, state: Any, max_steps: Any) -> Any:
    limit = xp.asarray(max_steps).astype(xp.float32)
    return state.t.astype(xp.float32) / xp.maximum(limit, np.float32(1))


def hud_of(xp: Any, plan: Plan, state: Any, seat: int, me: Place, clock: Any) -> Any:
    """The hud of one seat: float32[B, 152]."""
    batch = clock.shape[0]
    actions = np.arange(len(ACTIONS), dtype=np.int32)
    parts = [
        clock[:, None],
        state.total[:, seat, None],
        (state.last_action[:, seat, None] == actions).astype(xp.float32),
        state.last_reward[:, seat, None],
        xp.full((batch, 1), seat / max(1, plan.game.players - 1), xp.float32),
    ]
    for group, room in slots.CAPACITY.items():
        width = 3 if group == "bearing" else 1
        blocks = [_own_bearing(xp, plan, me)] if group == "bearing" else []
        for value in plan.slots.values:
            if value.group != group:
                continue
            if group == "bearing":
                blocks.append(_bearing(xp, plan, state, value, seat, me))
            else:
                blocks.append(_number(xp, plan, state, value, seat))
        filled = sum(block.shape[1] for block in blocks)
        parts += [*blocks, xp.zeros((batch, room * width - filled), xp.float32)]
    return xp.concatenate(parts, 1)


def _read(plan: Plan, state: Any, value: slots.Value, seat: int) -> Any:
    """The values of one entry: [B, n], or [B, n, 2] of Pos and Vec2."""
    raw = state.fields[value.field.name]
    if value.column is not None:
        return raw[value.column.name]
    if isinstance(value.field.type, Scalar):
        return raw[:, None]
    if value.field.players:
        first = 1 if value.field is plan.slots.player else 0
        turn = [(seat + k) % plan.game.players for k in range(first, plan.game.players)]
        return raw[:, np.asarray(turn)]
    return raw


def _alive(xp: Any, state: Any, value: slots.Value) -> Any:
    """bool[B, n]: rows in use; all of them where the entry is no table."""
    if isinstance(value.field.type, TableRef):
        return state.fields[value.field.name]["alive"]
    return xp.ones((state.t.shape[0], value.count), bool)


def _number(xp: Any, plan: Plan, state: Any, value: slots.Value, seat: int) -> Any:
    """Flags, counts or meters of an entry, scaled, 0 for rows not in use: float32[B, n·width]."""
    raw = _read(plan, state, value, seat).astype(xp.float32)
    offset, factor = plan.scales.get((value.field.name, value.declared.name), (0.0, 1.0))
    scaled = (raw - np.float32(offset)) * np.float32(factor)
    if isinstance(value.field.type, TableRef):
        alive = _alive(xp, state, value)
        scaled = xp.where(alive if raw.ndim == 2 else alive[..., None], scaled, np.float32(0))
    return scaled.reshape(raw.shape[0], -1)


def _own_bearing(xp: Any, plan: Plan, me: Place) -> Any:
    rows, cols = plan.game.size
    middle = np.asarray([(rows - 1) / 2, (cols - 1) / 2], np.float32)
    half = np.asarray([2 / rows, 2 / cols], np.float32)
    present = xp.full((me.exact.shape[0], 1), float(plan.slots.player is not None), xp.float32)
    return xp.concatenate([present, (me.exact - middle) * half], 1)


def _bearing(xp: Any, plan: Plan, state: Any, value: slots.Value, seat: int, me: Place) -> Any:
    """Bearings of an entry, 0 for rows not in use: float32[B, 3n]."""
    raw, kind = _read(plan, state, value, seat), kind_of(value.declared)
    if kind == "Dir":
        away = xp.asarray(_DELTAS)[raw].astype(xp.float32)
    else:
        size = np.asarray(plan.game.size, np.float32)
        away = (place(xp, plan.game, kind, raw).exact - me.exact[:, None]) / size
    present = _alive(xp, state, value)[..., None].astype(xp.float32)
    return (xp.concatenate([present, away], -1) * present).reshape(raw.shape[0], -1)
