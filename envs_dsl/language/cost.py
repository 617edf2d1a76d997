"""The exact static cost of a program.

Every arm of every branch is evaluated and every loop makes all its trips (branches are predicated),
so the cost is not a bound but the count itself:

    W(op)  = Σ W(args) + weight · size        W(store) = W(value) + W(index) + size of the field
    W(if)  = W(test) + W(then) + W(else) + Σ size(assigned)            W(for) = k · (1 + W(body))

``size`` is in scalar elements; weights and what they are multiplied with stand in the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.types import Array, Grid, Scalar, TableRef, Type

__all__ = ["CAPS", "Cost", "check_cost", "cost", "size_of"]


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """Of one step (or one reset): element operations, height of the typed tree, operations emitted
    (a loop emits its body once), random draws; and the bytes of one state."""

    work: int
    depth: int
    ops: int
    draws: int
    state_bytes: int


CAPS = Cost(work=200_000, depth=64, ops=4_000, draws=512, state_bytes=4_096)
MAX_LOOPS = 4


def size_of(type_: Type, tree: T.Tree) -> int:
    """Scalar elements of a value."""
    match type_:
        case Scalar(kind="Pos" | "Vec2"):
            return 2
        case Grid(elem=elem):
            return tree.game.size[0] * tree.game.size[1] * size_of(elem, tree)
        case Array(elem=elem, length=length):
            return length * size_of(elem, tree)
    return 1


def state_bytes(tree: T.Tree) -> int:
    """Bytes of the declared fields (4 a number, 1 a Bool)."""
    total = 0
    for field in tree.fields:
        if isinstance(field.type, TableRef):
            columns = tree.row(field.type.row_type).columns
            row = 1 + sum(size_of(c.type, tree) * _width(c.type) for c in columns)
            total += field.capacity * row
        else:
            total += size_of(field.type, tree) * _width(field.type)
    return total


def _width(type_: Type) -> int:
    elem = type_.elem if isinstance(type_, Grid | Array) else type_
    return 1 if isinstance(elem, Scalar) and elem.kind == "Bool" else 4


class _Sum(NamedTuple):
    work: int = 0
    depth: int = 0
    ops: int = 0
    draws: int = 0

    def __add__(self, other: _Sum) -> _Sum:  # type: ignore[override]
        return _Sum(
            self.work + other.work,
            max(self.depth, other.depth),
            self.ops + other.ops,
            self.draws + other.draws,
        )


def cost(tree: T.Tree) -> Cost:
    """The cost of the dearer of ``reset`` and ``step``, figure by figure."""
    return _dearer(_block(tree.reset, tree), _block(tree.step, tree), tree)


def _dearer(reset: _Sum, step: _Sum, tree: T.Tree) -> Cost:
    return Cost(
        work=max(reset.work, step.work),
        depth=max(reset.depth, step.depth),
        ops=max(reset.ops, step.ops),
        draws=max(reset.draws, step.draws),
        state_bytes=state_bytes(tree),
    )


_OVER = {
    "work": (
        "E501",
        "element operations",
        "fewer loop trips, smaller grids or fewer searches; a grid expression outside of loops",
    ),
    "depth": ("E502", "levels of nesting", "keep parts of long expressions in locals"),
    "ops": ("E503", "operations", "call helpers fewer times, or in a loop: its body counts once"),
    "draws": ("E504", "random draws", "chance_grid and random_cell draw for all cells at once"),
}


def check_cost(tree: T.Tree, places: Mapping[str, int], out: Diagnostics) -> Cost:
    """Report every cap that is exceeded (E501–E506), at the function (or class) that exceeds it.

    Gives the cost, as ``cost`` does.

    Args:
      places: line of "reset", "step", "State", and of "view" where there is one.
    """
    size = state_bytes(tree)
    if size > CAPS.state_bytes:
        what = f"State takes {size} bytes; {CAPS.state_bytes} are allowed"
        hint = "a number takes 4 bytes a cell, a Bool 1: use a smaller board or fewer grids"
        out.add("E505", (places["State"], 1), what, hint)
    sums = {}
    for name, block in (("reset", tree.reset), ("step", tree.step), ("view", tree.view)):
        sums[name] = found = _block(block, tree)
        place = (places.get(name, 1), 1)
        for figure, (code, unit, hint) in _OVER.items():
            value, cap = getattr(found, figure), getattr(CAPS, figure)
            if value > cap:
                out.add(code, place, f"{name} takes {value} {unit}; {cap} are allowed", hint)
        loops = loops_of(block)
        if loops > MAX_LOOPS:
            what = f"loops nested {loops} deep in {name}; {MAX_LOOPS} are allowed"
            out.add("E506", place, what, "replace the inner loop by a grid or table builtin")
    return _dearer(sums["reset"], sums["step"], tree)


def loops_of(block: T.Block) -> int:
    """How deep loops stand in one another."""
    deepest = 0
    for node in block:
        inner = 0
        if isinstance(node, T.For):
            inner = 1 + loops_of(node.body)
        elif isinstance(node, T.If):
            inner = max(loops_of(node.then), loops_of(node.orelse))
        deepest = max(deepest, inner)
    return deepest


def _block(block: T.Block, tree: T.Tree) -> _Sum:
    total = _Sum()
    for stmt in block:
        total += _stmt(stmt, tree)
    return total


def _stmt(node: T.Stmt, tree: T.Tree) -> _Sum:
    match node:
        case T.Assign(target=target, value=value):
            return _deeper(_expr(value, tree) + _target(target, tree))
        case T.If(test=test, then=then, orelse=orelse):
            arms = _block(then, tree) + _block(orelse, tree)
            merged = sum(_assigned(s, tree) for s in (*then, *orelse))
            return _deeper(_expr(test, tree) + arms + _Sum(work=merged))
        case T.For(count=count, body=body):
            once = _block(body, tree)
            work = (once.work + 1) * count  # a trip costs 1 by itself: no loop is free
            return _deeper(_Sum(work, once.depth, once.ops, once.draws * count))
        case T.Return(value=value):
            return _Sum() if value is None else _deeper(_expr(value, tree))
        case T.Effect(args=args, seat=seat):
            total = _sum((*args, *(() if seat is None else (seat,))), tree)
            return _deeper(total + _Sum(work=max(tree.game.players, 1), ops=1))
        case T.Spawn(table=table, columns=columns, ok=ok):
            total = _sum(tuple(v for _, v in columns), tree)
            rows = tree.field(table).capacity
            width = 1 + sum(size_of(v.type, tree) for _, v in columns)
            total += _Sum(work=TABLE["spawn"].weight * rows * width, ops=1 + len(columns))
            return _deeper(total if ok is None else total + _target(ok, tree))
        case T.Kill(table=table):
            return _Sum(work=tree.field(table).capacity, ops=1, depth=1)
        case T.Swap(first=first, second=second):
            cells = tree.game.size[0] * tree.game.size[1]
            return _deeper(
                _sum((first, second), tree) + _Sum(work=TABLE["swap"].weight * cells, ops=4)
            )
    return _Sum(depth=1)


def _assigned(node: T.Stmt, tree: T.Tree) -> int:
    """Elements that a branch must select between, for a direct assignment in one of its arms."""
    if isinstance(node, T.Assign):
        return size_of(node.target.type, tree)
    return 1


def _target(target: T.Target, tree: T.Tree) -> _Sum:
    if isinstance(target, T.LocalTarget):
        return _Sum(work=size_of(target.type, tree), ops=1)
    field = tree.field(target.field)
    if target.row is not None:
        assert isinstance(field.type, TableRef)
        columns = tree.row(field.type.row_type).columns
        column = next(c for c in columns if c.name == target.column)
        return _Sum(work=field.capacity * size_of(column.type, tree), ops=1, depth=1)
    index = _Sum() if target.index is None else _expr(target.index, tree)
    return index + _Sum(work=size_of(field.type, tree), ops=1)


def _sum(nodes: tuple[T.Expr, ...], tree: T.Tree) -> _Sum:
    total = _Sum()
    for node in nodes:
        total += _expr(node, tree)
    return total


def _deeper(total: _Sum) -> _Sum:
    return _Sum(total.work, total.depth + 1, total.ops, total.draws)


_LEAVES = (T.Const, T.Literal, T.LocalRef, T.FieldRef, T.Column, T.ParamRef, T.Clock, T.Turn)
_LEAF = _Sum(depth=1)


def _expr(node: T.Expr, tree: T.Tree) -> _Sum:
    if type(node) in _LEAVES:
        return _LEAF
    match node:
        case T.Call(op=op, args=args):
            row = TABLE[op]
            folds = len(args) - 1 if row.variadic else 1
            own = _Sum(row.weight * _extent(node, tree) * folds, 0, 1, row.draws)
            return _deeper(_sum(args, tree) + own)
        case T.Element(base=base, index=index, type=type_):
            return _deeper(
                _expr(base, tree) + _expr(index, tree) + _Sum(work=2 * size_of(type_, tree), ops=1)
            )
        case T.Component(base=base):
            return _deeper(_expr(base, tree) + _Sum(work=1, ops=1))
        case T.Painted(cells=cells):
            return _Sum(TABLE["paint"].weight * len(cells), 1, 1)
        case T.Inline(params=params, body=body):
            return _deeper(_sum(tuple(v for _, v in params), tree) + _block(body, tree))
        case T.Act(seat=seat):
            return _deeper((_Sum() if seat is None else _expr(seat, tree)) + _Sum(work=1, ops=1))
    return _Sum(depth=1)


def _extent(node: T.Call, tree: T.Tree) -> int:
    """What a call's weight is multiplied with (``Builtin.size``)."""
    height, width = tree.game.size
    match TABLE[node.op].size:
        case "board":
            return height * width
        case "board*k":
            last = node.args[-1]
            if isinstance(last, T.TableName):
                return height * width * tree.field(last.field).capacity
            return height * width * (int(last.value) if isinstance(last, T.Const) else 1)
        case "board*span":
            return height * width * max(height, width)
        case "maze":
            return (((height - 1) // 2) * ((width - 1) // 2)) ** 2
        case "span":
            return max(height, width)
        case "rows":
            return next(
                (tree.field(a.field).capacity for a in node.args if isinstance(a, T.TableName)), 1
            )
    return max([size_of(node.type, tree), *(size_of(a.type, tree) for a in node.args)])
