"""Branches, loops and jumps, by masks: nobody jumps, some copies just stop taking part."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.backends.kit import DEAD, Mask, both, either, select
from envs_dsl.backends.layout import zero
from envs_dsl.backends.machine import Key, Machine
from envs_dsl.language import tree as T
from envs_dsl.language.types import BOOL, Type

__all__ = ["branch", "give_back", "jump_out", "loop", "next_trip"]


def branch(m: Machine, node: T.If, mask: Mask) -> Mask:
    then, orelse = m.ops.split(mask, m.ops.hold(m.value_of(node.test, mask)))
    after_then = m.run(node.then, then)
    after_else = m.run(node.orelse, orelse)
    if after_then is then and after_else is orelse:
        return mask
    return either(after_then, after_else)


def give_back(m: Machine, node: T.Return, mask: Mask) -> Mask:
    if node.value is not None:
        assert m.result is not None
        value, key = m.value_of(node.value, mask), ("value", m.depth)
        before = m.env.get(key)
        if before is None:
            before = zero(m.result, m.size)
        everybody = mask is m.entry  # whoever called the helper
        m.env[key] = value if everybody else select(m.xp, mask, value, before)
    m.mark(("returned", m.depth), mask)
    return DEAD


def jump_out(m: Machine, node: T.Break, mask: Mask) -> Mask:
    m.mark(("broken", m.loops), mask)
    return DEAD


def next_trip(m: Machine, node: T.Continue, mask: Mask) -> Mask:
    return DEAD


def loop(m: Machine, node: T.For, mask: Mask) -> Mask:
    changes = m.changes(node)
    outer = m.index
    m.loops += 1
    visit: Key = ("visit", m.loops)
    if node.kind == "table":
        m.env[visit] = m.column(node.table, "alive")
        m.visits.append((node.table, visit))
        if node.table in changes.kills:
            m.mortal.add(node.var)

    def trip(i: Any) -> None:
        """One trip; ``i`` is an int, or an int32 scalar inside a scan."""
        inside = _taking_part(m, node, i, mask)
        if m.ops.nobody(inside):
            return
        m.index = outer * node.count + i
        if node.kind == "table":
            m.rows[node.var] = i
        else:
            value = i * node.step + node.start
            m.env[("local", node.var)] = (
                np.full((1,), value, np.int32) if isinstance(i, int) else value.reshape(1)
            )
        m.run(node.body, inside)

    if not m.ops.traced or m.drawing or node.count == 1:
        for i in range(node.count):
            trip(i)
    else:
        # Written out, dependent trips make XLA fuse, and so repeat, all that came before: three
        # trips over 68 nodes took 5 s to compile on a CPU and ran 30 times slower than as a scan.
        _scan(m, node, trip)
    m.index = outer
    m.env.pop(("local", node.var), None)
    m.env.pop(("broken", m.loops), None)
    if node.kind == "table":
        m.rows.pop(node.var, None)
        m.mortal.discard(node.var)
        m.visits.pop()
        del m.env[visit]
    m.loops -= 1
    returned = m.env.get(("returned", m.depth)) if changes.returns else None
    if returned is None:
        return mask
    rest = both(mask, ~returned)
    return DEAD if m.ops.nobody(rest) else rest


def _taking_part(m: Machine, node: T.For, i: Any, mask: Mask) -> Mask:
    """The mask of a trip: without whoever left the loop, and whose row is not visited."""
    changes = m.changes(node)
    for key, occurs in (
        (("broken", m.loops), changes.breaks),
        (("returned", m.depth), changes.returns),
    ):
        if occurs and key in m.env:
            mask = both(mask, ~m.env[key])
    if node.kind == "table":
        mask = both(mask, m.ops.take_slot(m.env[("visit", m.loops)], i))
    return mask


def _scan(m: Machine, node: T.For, trip: Any) -> None:
    """All trips as one scan over the variables that the body changes."""
    changes = m.changes(node)
    carried: dict[Key, Type | None] = dict(changes.variables)
    if changes.breaks:
        carried["broken", m.loops] = BOOL
    if changes.returns:
        carried["returned", m.depth] = BOOL
        if m.result is not None:
            carried["value", m.depth] = m.result
    carried |= {key: None for table, key in m.visits if table in changes.kills}

    def gather() -> tuple[Any, ...]:
        return tuple(_variable(m, key, type_) for key, type_ in carried.items())

    def scatter(values: tuple[Any, ...]) -> None:
        m.env.update(zip(carried, values, strict=True))

    def body(values: tuple[Any, ...], i: Any) -> tuple[Any, ...]:
        scatter(values)
        trip(i)
        return gather()

    scatter(m.ops.scan(node.count, body, gather()))


def _variable(m: Machine, key: Key, type_: Type | None) -> Any:
    """A variable with the full batch axis; zero where it has no value yet."""
    value = m.env.get(key)
    if value is None:
        assert type_ is not None
        value = zero(type_, m.size)
    return m.full(value)
