"""The NumPy walker, counting what it does: the cost as it is measured, not as it is foretold.

Branches are predicated as under JAX: both arms are walked whoever takes them. Sizes are those of
the arrays that come out, not those of the declared types.
"""

from __future__ import annotations

import math
from typing import Any
from unittest import mock

from oracle import work

from envs_dsl.backends import engine
from envs_dsl.backends.backend import Backend
from envs_dsl.backends.numpy_ops import NUMPY
from envs_dsl.backends.state import Constants
from envs_dsl.backends.walker import Walker
from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.cost import Cost

__all__ = ["measured"]


class _Predicated(type(NUMPY)):  # type: ignore[misc]
    """NumPy's primitives, without skipping what nobody would execute."""

    def split(self, mask: Any, test: Any) -> Any:
        return (test, ~test) if mask is None else (mask & test, mask & ~test)

    def nobody(self, mask: Any) -> bool:
        return False


def _size(value: Any) -> int:
    """Elements of one copy."""
    return math.prod(value.shape[1:])


class _Counter(Walker):
    made: list[_Counter]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.work = self.emitted = self.draws = self.level = self.deepest = 0
        self.around: list[T.For] = []
        self.made.append(self)

    def count(self, elements: int, ops: int = 1) -> None:
        self.work += elements
        if self.index == 0:  # the first trip of all loops: a loop emits its body once
            self.emitted += ops

    def down(self, levels: int = 1) -> None:
        self.level += levels
        self.deepest = max(self.deepest, self.level)

    def run(self, block: T.Block, mask: Any) -> Any:
        if self.around and block is self.around[-1].body:
            self.work += 1
        for stmt in block:
            levels = int(not (isinstance(stmt, T.Return) and stmt.value is None))
            self.down(levels)
            if isinstance(stmt, T.For):
                self.around.append(stmt)
                mask = super().run((stmt,), mask)
                self.around.pop()
            else:
                self.statement(stmt)
                mask = super().run((stmt,), mask)
                self.stored(stmt)
            self.level -= levels
        return mask

    def statement(self, stmt: T.Stmt) -> None:
        match stmt:
            case T.If():
                self.work += work.of_merge(stmt, self.tree)
            case T.Effect():
                self.count(self.tree.game.players)
            case T.Kill(table=table):
                self.count(self.column(table, "alive").shape[1])
            case T.Swap():
                self.count(TABLE["swap"].weight * self.size[0] * self.size[1], 4)

    def stored(self, stmt: T.Stmt) -> None:
        match stmt:
            case T.Assign(target=target):
                self.target(target)
            case T.Spawn(table=table, columns=columns, ok=ok):
                width = 1 + sum(work.size_of(value.type, self.tree) for _, value in columns)
                rows = self.column(table, "alive").shape[1]
                self.count(TABLE["spawn"].weight * rows * width, 1 + len(columns))
                if ok is not None:
                    self.target(ok)

    def target(self, target: T.Target) -> None:
        if isinstance(target, T.LocalTarget):
            self.count(_size(self.env["local", target.name]))
        elif target.row is not None:
            self.count(_size(self.env["column", target.field, str(target.column)]))
            self.down()
            self.level -= 1
        else:
            self.count(_size(self.env["field", target.field]))

    def value_of(self, expr: T.Expr, mask: Any) -> Any:
        self.down()
        value = super().value_of(expr, mask)
        match expr:
            case T.Call():
                self.called(expr, value)
            case T.Element():
                self.count(2 * _size(value))
            case T.Component() | T.Act():
                self.count(1)
            case T.Painted():
                self.count(_size(value))
        self.sizes[id(expr)] = _size(value)
        self.level -= 1
        return value

    @property
    def sizes(self) -> dict[int, int]:
        return self.__dict__.setdefault("_sizes", {})

    def called(self, node: T.Call, value: Any) -> None:
        row = TABLE[node.op]
        tables = [a for a in node.args if isinstance(a, T.TableName)]
        if tables:
            self.down()
            self.level -= 1
        board = self.size[0] * self.size[1]
        extent = max(_size(value), *(self.sizes.get(id(arg), 1) for arg in node.args), 1)
        if row.size != "result":
            rows = self.column(tables[0].field, "alive").shape[1] if tables else 1
            last = node.args[-1] if node.args else None
            k = rows if tables else int(getattr(last, "value", 1))
            nodes = ((self.size[0] - 1) // 2) * ((self.size[1] - 1) // 2)
            extent = {
                "board": board,
                "board*k": board * k,
                "board*span": board * max(self.size),
                "maze": nodes**2,
                "span": max(self.size),
                "rows": rows,
            }[row.size]
        folds = len(node.args) - 1 if row.variadic else 1
        self.count(row.weight * extent * folds)
        self.draws += row.draws


def measured(tree: T.Tree, constants: Constants, episodes: Any) -> tuple[Cost, Any, Any]:
    """The cost of ``reset`` and of one ``step``, figure by figure the dearer, and their states."""
    back = Backend(tree, _Predicated())
    _Counter.made = []
    with mock.patch.object(engine, "Walker", _Counter):
        fresh = back.reset(constants, episodes.seeds, episodes.params)
        after, _ = back.step(constants, episodes.states[0], episodes.actions[0])
    runs = _Counter.made
    size = sum(
        leaf[:1].nbytes
        for value in fresh.fields.values()
        for leaf in (value.values() if isinstance(value, dict) else (value,))
    )
    found = Cost(
        work=max(run.work for run in runs),
        depth=max(run.deepest for run in runs),
        ops=max(run.emitted for run in runs),
        draws=max(run.draws for run in runs),
        state_bytes=size,
    )
    return found, fresh, after
