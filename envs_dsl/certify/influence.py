"""What decides how a game ends: the fields, the clock and the draws that ``win`` hangs on.

Two states that agree in those have the same future as far as winning goes, so the search keeps one
of them. The answer errs on the safe side: whatever is not understood counts as an influence.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from envs_dsl.language import tree as T
from envs_dsl.language.types import Field

__all__ = ["Influence", "influence_of"]

Node = tuple[str, ...]
_CLOCK: Node = ("clock",)
_DRAW: Node = ("draw",)
_END: Node = ("end",)
_TURN: Node = ("turn",)
_JUMP: Node = ("jump",)  # break, continue, early return: decides about everything behind it


@dataclasses.dataclass(frozen=True)
class Influence:
    """What the end of an episode depends on.

    Attributes:
      fields: names of the fields, in the order of declaration; those that ``step`` never changes
        are left out, for all states of a level agree in them.
      timeless: neither ``s.t`` nor any draw, nor whose turn it is, has a say: equal fields have
        equal futures whenever they occur.
    """

    fields: tuple[str, ...]
    timeless: bool


def influence_of(tree: T.Tree) -> Influence:
    """The influences on the end of an episode of ``tree``."""
    graph = _Graph(tree.board)
    graph.block(tree.step, frozenset())
    stored = set(graph.sources)
    alternate = tree.game.turns == "alternate"
    if alternate:  # whoever is on turn decides
        graph.sources[_END].add(_TURN)
    reached, waiting = {_END}, [_END]
    while waiting:
        for source in graph.sources[waiting.pop()]:
            if source not in reached:
                reached.add(source)
                waiting.append(source)
    names = tuple(f.name for f in tree.fields if ("field", f.name) in reached & stored)
    return Influence(names, not alternate and not {_CLOCK, _DRAW} & reached)


class _Graph:
    """Which values flow into which: ``sources[x]`` are the direct influences on x."""

    def __init__(self, board: Field | None) -> None:
        self._board: set[Node] = set() if board is None else {("field", board.name)}
        self.sources: dict[Node, set[Node]] = collections.defaultdict(set)
        self._entry: list[frozenset[Node]] = [frozenset()]  # tests around the function under way
        self._result: list[set[Node]] = [set()]

    def block(self, block: T.Block, tests: frozenset[Node]) -> None:
        for stmt in block:
            self._statement(stmt, tests)

    def _statement(self, stmt: T.Stmt, tests: frozenset[Node]) -> None:
        match stmt:
            case T.Assign(target=target, value=value):
                self._store(target, self._values(value), tests)
            case T.If(test=test, then=then, orelse=orelse):
                inner = tests | self._values(test)
                self.block(then, inner)
                self.block(orelse, inner)
            case T.For(table=table, body=body):
                self.block(body, tests | {("field", table)} if table else tests)
            case T.Return(value=value):
                self._result[-1] |= tests | (self._values(value) if value is not None else set())
                if tests != self._entry[-1]:
                    self.sources[_JUMP] |= tests
            case T.Break() | T.Continue():
                self.sources[_JUMP] |= tests
            case T.Effect(op="win" | "lose" | "draw", args=args, seat=seat):
                found = set[Node]().union(*map(self._values, args))
                self._flow(_END, found | (self._values(seat) if seat is not None else set()), tests)
            case T.Effect(op="again"):
                self._flow(_TURN, set(), tests)
            case T.Effect():
                pass  # pays or draws, and nobody can read that back
            case T.Spawn(table=table, columns=columns, ok=ok):
                row = {("field", table)}.union(*(self._values(value) for _, value in columns))
                self._flow(("field", table), row, tests)
                if ok is not None:
                    self._store(ok, {("field", table)}, tests)
            case T.Kill(table=table):
                self._flow(("field", table), {("field", table)}, tests)
            case T.Swap(field=field, first=first, second=second):
                found = self._values(first) | self._values(second)
                self._flow(("field", field), found | {("field", field)}, tests)
            case _:
                raise TypeError(f"unknown statement {type(stmt).__name__}")

    def _store(self, target: T.Target, found: set[Node], tests: frozenset[Node]) -> None:
        if isinstance(target, T.LocalTarget):
            self._flow(("local", target.name), found, tests)
            return
        index = self._values(target.index) if target.index is not None else set()
        row = {("local", target.row)} if target.row is not None else set()
        self._flow(("field", target.field), found | index | row, tests)

    def _flow(self, into: Node, found: set[Node], tests: frozenset[Node]) -> None:
        self.sources[into] |= found | tests | {_JUMP}

    def _values(self, expr: T.Expr) -> set[Node]:
        """What the value of an expression depends on; inlined bodies are walked on the way."""
        found: set[Node] = set()
        for node in self._parts(expr):
            match node:
                case T.FieldRef(field=name) | T.TableName(field=name):
                    found.add(("field", name))
                case T.Column(table=table, row=row):
                    found |= {("field", table), ("local", row)}
                case T.LocalRef(name=name):
                    found.add(("local", name))
                case T.Clock():
                    found.add(_CLOCK)
                case T.Turn():
                    found.add(_TURN)
                case T.Call(op="try_move"):
                    found |= self._board  # read without being named
                case T.Call(site=site) if site >= 0:
                    found.add(_DRAW)
                case T.Inline():
                    found |= self._inline(node)
        return found

    def _parts(self, expr: T.Expr) -> Iterator[object]:
        """Sub-expressions, without those inside inlined helpers."""
        stack: list[object] = [expr]
        while stack:
            node = stack.pop()
            yield node
            if not isinstance(node, T.Inline):
                stack.extend(T.children(node))

    def _inline(self, node: T.Inline) -> set[Node]:
        for name, value in node.params:
            self._flow(("local", name), self._values(value), frozenset())
        self._entry.append(frozenset())
        self._result.append(set())
        self.block(node.body, frozenset())
        self._entry.pop()
        return self._result.pop() | {_JUMP}
