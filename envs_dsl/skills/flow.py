"""What flows where in ``step``: the writes and the ends of a program with what decides them.

A *source* is a word for something a value depends on:

================  ==================================================================================
``move``          the direction of the player's action; ``verb:NAME`` that the verb was chosen
``field:NAME``    a field of the state; ``column:TABLE.NAME`` a column; ``table:NAME`` a whole table
``at:NAME``       the grid NAME at a place that depends on the player's; ``ahead:NAME`` one that
                  depends on the action too (the cell the player faces or walks into)
``meet:NAME``     the player's place compared with a row of the table NAME
``reach:NAME``    the player's place compared with the field NAME
``slide``         the builtin; ``draw`` a random draw; ``clock`` the number of steps
================  ==================================================================================

The answer errs on the side of too many: all branches count, and a loop's body is read twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from envs_dsl.language import tree as T
from envs_dsl.language.slots import layout
from envs_dsl.language.types import Grid
from envs_dsl.language.vocabulary import ACTIONS

__all__ = ["End", "Flow", "Sources", "Write", "flow_of"]

Sources = frozenset[str]
_NONE: Sources = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class Write:
    """One store into the state.

    Attributes:
      into: ``field:NAME``, ``column:TABLE.NAME``, or ``table:NAME`` for ``spawn`` and ``kill``.
      value, index, guard: sources of what is stored, of where, and of whether.
      change: "+" or "-" where a number grows or shrinks by what is added, "?" where by either,
        "" for any other store.
    """

    into: str
    value: Sources
    index: Sources
    guard: Sources
    change: str = ""

    @property
    def sources(self) -> Sources:
        return self.value | self.index | self.guard


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """One ``win``, ``lose`` or ``draw`` with the sources of its guard."""

    op: str
    guard: Sources


@dataclasses.dataclass(frozen=True, slots=True)
class Flow:
    """Of a whole ``step``. ``player`` is the field that says where the player is ("" without)."""

    player: str
    writes: tuple[Write, ...]
    ends: tuple[End, ...]

    def to(self, into: str) -> tuple[Write, ...]:
        """The writes into one place."""
        return tuple(w for w in self.writes if w.into == into)

    def guard(self, *ops: str) -> Sources:
        """What the ends of these kinds depend on directly."""
        return _NONE.union(*(end.guard for end in self.ends if end.op in ops))

    def behind(self, sources: Iterable[str]) -> Sources:
        """``sources`` and all that they depend on, through any number of steps."""
        found, waiting = set(sources), list(sources)
        while waiting:
            word = waiting.pop()
            kind, _, name = word.partition(":")
            places = {word}
            if kind in ("at", "ahead", "reach"):
                places = {f"field:{name}"}
            elif kind in ("table", "meet"):
                places = {w.into for w in self.writes if w.into.startswith(f"column:{name}.")}
                places |= {f"table:{name}"}
            for write in self.writes:
                if write.into in places:
                    fresh = write.sources - found
                    found |= fresh
                    waiting += fresh
        return frozenset(found)


def flow_of(tree: T.Tree) -> Flow:
    """The flow of ``tree.step``."""
    field = layout(tree).player
    walker = _Walker(tree, "" if field is None else field.name)
    walker.block(tree.step, _NONE)
    # a loop's body is read twice: the second reading knows more, and holds the first
    writes = tuple(dict.fromkeys(walker.writes))
    return Flow(walker.player, writes, tuple(dict.fromkeys(walker.ends)))


class _Walker:
    def __init__(self, tree: T.Tree, player: str) -> None:
        self.tree, self.player = tree, player
        self.me = f"field:{player}"
        self.locals: dict[str, Sources] = {}
        self.writes: list[Write] = []
        self.ends: list[End] = []
        self.result: Sources = _NONE

    # --- statements ---------------------------------------------------------------------------

    def block(self, block: T.Block, guard: Sources) -> Sources:
        """Walk statements; gives what decides whether the next one is reached."""
        for stmt in block:
            guard = guard | self.statement(stmt, guard)
        return guard

    def statement(self, stmt: T.Stmt, guard: Sources) -> Sources:
        """Walk one statement; gives the tests under which it may jump past the next ones."""
        match stmt:
            case T.Assign(target=target, value=value):
                self.store(target, self.value(value), guard, _change(target, value))
            case T.If(test=test, then=then, orelse=orelse):
                inner = guard | self.value(test)
                after = [self.block(then, inner), self.block(orelse, inner)]
                if any(isinstance(s, T.Break | T.Continue | T.Return) for s in (*then, *orelse)):
                    return _NONE.union(*after)
            case T.For(body=body, var=var, kind=kind, table=table):
                self.locals[var] = frozenset({f"table:{table}"}) if kind == "table" else _NONE
                for _ in range(2):
                    self.block(body, guard)
            case T.Return(value=value):
                if value is not None:
                    self.result |= self.value(value) | guard
            case T.Effect(op=op, seat=seat):
                if op in ("win", "lose", "draw"):
                    self.ends.append(End(op, guard | (_NONE if seat is None else self.value(seat))))
            case T.Spawn(table=table, columns=columns, ok=ok):
                for name, value in columns:
                    self.put(f"column:{table}.{name}", self.value(value), _NONE, guard)
                self.put(f"table:{table}", _NONE, _NONE, guard, "+")
                if ok is not None:
                    self.store(ok, frozenset({f"table:{table}"}), guard)
            case T.Kill(table=table):
                self.put(f"table:{table}", _NONE, _NONE, guard, "-")
            case T.Swap(field=field, first=first, second=second):
                index = self.value(first) | self.value(second)
                self.put(f"field:{field}", frozenset({f"field:{field}"}), index, guard)
        return _NONE

    def store(self, target: T.Target, value: Sources, guard: Sources, change: str = "") -> None:
        if isinstance(target, T.LocalTarget):
            old = self.locals.get(target.name, _NONE) if guard else _NONE
            self.locals[target.name] = old | value | guard
            return
        index = _NONE if target.index is None else self.value(target.index)
        if target.column is not None:
            self.put(f"column:{target.field}.{target.column}", value, index, guard, change)
        else:
            self.put(f"field:{target.field}", value, index, guard, change)

    def put(
        self, into: str, value: Sources, index: Sources, guard: Sources, change: str = ""
    ) -> None:
        self.writes.append(Write(into, value, index, guard, change))

    # --- expressions --------------------------------------------------------------------------

    def value(self, expr: T.Expr) -> Sources:
        match expr:
            case T.LocalRef(name=name):
                return self.locals.get(name, _NONE)
            case T.FieldRef(field=name):
                return frozenset({f"field:{name}"})
            case T.TableName(field=name):
                return frozenset({f"table:{name}"})
            case T.Element(base=base, index=index):
                return self.element(base, index)
            case T.Column(table=table, column=column):
                return frozenset({f"column:{table}.{column}"})
            case T.Component(base=base):
                return self.value(base)
            case T.Call():
                return self.call(expr)
            case T.Inline():
                return self.inline(expr)
            case T.Act(verb=verb):
                return frozenset({"move" if verb is None else f"verb:{ACTIONS[verb]}"})
            case T.Clock():
                return frozenset({"clock"})
        return _NONE

    def element(self, base: T.Expr, index: T.Expr) -> Sources:
        where = self.value(index)
        found = self.value(base) | where
        if isinstance(base, T.FieldRef) and isinstance(base.type, Grid) and self.me in where:
            acted = "move" in where or any(s.startswith("verb:") for s in where)
            found |= {f"{'ahead' if acted else 'at'}:{base.field}"}
        return found

    def call(self, expr: T.Call) -> Sources:
        parts = [self.value(arg) for arg in expr.args]
        found = _NONE.union(*parts)
        if expr.site >= 0:
            found |= {"draw"}
        if expr.op == "slide":
            found |= {"slide"}
        if expr.op in _COMPARE and any(self.me in part for part in parts):
            for arg, part in zip(expr.args, parts):
                if self.me in part and isinstance(arg, T.FieldRef | T.Element | T.LocalRef):
                    continue
                for word in part:
                    kind, _, name = word.partition(":")
                    if kind == "column":
                        found |= {f"meet:{name.partition('.')[0]}"}
                    elif kind == "table":
                        found |= {f"meet:{name}"}
                    elif kind == "field" and word != self.me:
                        found |= {f"reach:{name}"}
        return found

    def inline(self, expr: T.Inline) -> Sources:
        for name, value in expr.params:
            self.locals[name] = self.value(value)
        outer, self.result = self.result, _NONE
        self.block(expr.body, _NONE)
        found, self.result = self.result, outer
        return found


_COMPARE = ("eq", "ne", "any_at", "count_within", "manhattan", "chebyshev", "length", "adjacent",
            "lt", "le", "gt", "ge", "sub")  # fmt: skip


def _change(target: T.Target, value: T.Expr) -> str:
    """How a store changes a number: see ``Write.change``."""
    if not isinstance(target, T.Place) or not isinstance(value, T.Call):
        return ""
    if value.op not in ("add", "sub") or not any(_reads(arg, target) for arg in value.args):
        return ""
    other = next((arg for arg in value.args if not _reads(arg, target)), None)
    match other:
        case T.Literal(value=number):
            sign = number
        case T.Call(op="neg"):
            sign = -1
        case T.Call(op="mul", args=(T.Literal(value=number), *_)):
            sign = number
        case T.ParamRef():
            sign = 1
        case _:
            return "?"
    return "+" if (sign > 0) == (value.op == "add") else "-"


def _reads(expr: T.Expr, target: T.Place) -> bool:
    """The expression is what the target holds now."""
    match expr:
        case T.FieldRef(field=name):
            return name == target.field and target.index is None
        case T.Element(base=T.FieldRef(field=name)):
            return name == target.field and target.index is not None
        case T.Column(table=table, column=column):
            return table == target.field and column == target.column
    return False
