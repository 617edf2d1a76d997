"""Canonical form and hashes: when are two programs the same?

``canonical`` drops code that can never run or matter, numbers the draw sites (before operands are
sorted, so that sorting cannot change a trajectory), renames locals by order of appearance, orders
the operands of commutative operators and numbers the literal slots. Two hashes follow:

- *skeleton*: the structure, with literals, parameter values and the step limit left out.
  Programs of one skeleton share one executable.
- *program*: skeleton and values. Exact duplicates share it; it is the key of a program everywhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.live import live
from envs_dsl.language.rewrite import Rewriter, replaced
from envs_dsl.language.structure import Memo, declared_names, skeleton_text, structure
from envs_dsl.language.types import FLOAT, INT

__all__ = ["Hashes", "canonical", "hashes", "literals"]


@dataclasses.dataclass(frozen=True, slots=True)
class Hashes:
    """16 hexadecimal characters each."""

    skeleton: str
    program: str


def canonical(tree: T.Tree) -> T.Tree:
    """The canonical form: same behaviour, one spelling. Idempotent."""
    namer = _Namer(declared_names(tree))
    blocks = [namer.function(live(b)) for b in (tree.reset, tree.step, tree.view)]
    slots = _Slots()
    reset, step, view = [slots.block(block) for block in blocks]
    return dataclasses.replace(tree, reset=reset, step=step, view=view)


def literals(tree: T.Tree) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Values of the hoisted INT and FLOAT literals, by slot; cells of layouts are INT literals."""
    ints: dict[int, int] = {}
    floats: dict[int, float] = {}
    for node in T.walk((*tree.reset, *tree.step, *tree.view)):
        if isinstance(node, T.Literal):
            if node.type == INT:
                ints[node.slot] = int(node.value)
            else:
                floats[node.slot] = float(node.value)
        elif isinstance(node, T.Painted):
            ints.update(enumerate(node.cells, start=node.slot))
    return tuple(ints[k] for k in sorted(ints)), tuple(floats[k] for k in sorted(floats))


def hashes(tree: T.Tree) -> Hashes:
    """Hashes of a canonical tree."""
    text = skeleton_text(tree)
    values = (
        literals(tree),
        tree.game.max_steps,
        [(p.value, p.low, p.high, p.harder) for p in tree.params],
    )
    return Hashes(_digest(text), _digest(f"{text}|{values!r}"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Namer(Rewriter):
    """Locals, loop variables and rows become v0, v1, … by order of appearance in their function;
    draw sites are numbered in evaluation order, over reset, step and view; the two operands of a
    commutative operator are ordered where they have one type.

    All in one pass: names and sites are given on the way, and what is ordered has them already.
    Operands that both draw, or both call helpers, stay as they are: draw sites and the locals of
    helpers are numbered in order of evaluation, which the canonical form must not change.
    """

    def __init__(self, declared: dict[str, str]) -> None:
        self.declared = declared
        self.names: dict[str, str] = {}
        self.site = 0
        self.keys: Memo = {}
        self.marks: dict[int, tuple[Any, frozenset[str]]] = {}

    def function(self, block: T.Block) -> T.Block:
        self.names = {}
        return self.block(block)

    def name(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}")

    def visit(self, node: Any) -> Any:
        if isinstance(node, T.For):
            node = replaced(node, {"var": self.name(node.var)})
        elif isinstance(node, T.Inline):
            params = tuple((self.name(n), self.visit(v)) for n, v in node.params)
            return dataclasses.replace(node, helper="", params=params, body=self.block(node.body))
        return super().visit(node)

    def leave(self, node: Any) -> Any:
        kind = type(node)
        if kind is T.Call:
            row = TABLE[node.op]
            if row.draws:
                self.site += 1
                return replaced(node, {"site": self.site - 1})
            if row.commutes and len(node.args) == 2:
                first, second = node.args
                if first.type != second.type or self.numbered(first) & self.numbered(second):
                    return node
                if self.key(second) < self.key(first):
                    return replaced(node, {"args": (second, first)})
        elif kind in (T.LocalRef, T.LocalTarget):
            return replaced(node, {"name": self.name(node.name)})
        elif kind in (T.Column, T.Kill, T.Place) and node.row is not None:
            return replaced(node, {"row": self.name(node.row)})
        return node

    def key(self, node: Any) -> str:
        """Structure of an expression without its literal values, draw sites and given names."""
        return structure(node, self.declared, sites=False, memo=self.keys)

    def numbered(self, node: Any) -> frozenset[str]:
        """What there is below a node that is numbered in order of evaluation: draws, helpers."""
        kept = self.marks.get(id(node))
        if kept is None:
            kind = type(node)
            own = {"helper"} if kind is T.Inline else set()
            if kind is T.Call and TABLE[node.op].draws:
                own.add("draw")
            found = frozenset(own).union(*map(self.numbered, T.children(node)))
            kept = self.marks[id(node)] = (node, found)
        return kept[1]


class _Slots(Rewriter):
    """Numbers the literals, Int and Float apart."""

    def __init__(self) -> None:
        self.next = {INT: 0, FLOAT: 0}

    def leave(self, node: Any) -> Any:
        if isinstance(node, T.Literal):
            node = replaced(node, {"slot": self.next[node.type]})
            self.next[node.type] += 1
        elif isinstance(node, T.Painted):
            node = replaced(node, {"slot": self.next[INT]})
            self.next[INT] += len(node.cells)
        return node
