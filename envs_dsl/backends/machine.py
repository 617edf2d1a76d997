"""What the walker remembers while it runs one block of a program."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from envs_dsl.backends.kit import Kit, Mask, board_of, either
from envs_dsl.backends.layout import zero
from envs_dsl.backends.numpy_ops import NUMPY
from envs_dsl.language.tree import Block, Expr, For, Inline, Tree
from envs_dsl.language.types import TableRef, Type

__all__ = ["AGAIN", "FAULT", "OUTCOME", "SHAPING", "Inputs", "Key", "Machine", "Shape"]

Key = tuple[str, ...] | tuple[str, int]
"""Name of a variable: ("local", name), ("field", name), ("column", table, name or "alive"), and for
control ("returned", depth), ("value", depth), ("broken", depth), ("visit", depth)."""

FAULT: Key = ("fault",)
OUTCOME: Key = ("outcome",)
SHAPING: Key = ("shaping",)
AGAIN: Key = ("again",)


@dataclasses.dataclass(frozen=True)
class Shape:
    """One drawing of ``view``.

    Attributes:
      kind: "disc" (centre, radius), "ring" (centre, radius) or "bar" (from, to).
      args: float32[b, 2] for a point, float32[b] for a radius.
      color: index of a colour, or None.
      seat: int32[b] seat whose colour is used; None when ``color`` is given.
      mask: bool[b], or None when all copies draw it.
    """

    kind: str
    args: tuple[Any, ...]
    color: int | None
    seat: Any
    mask: Any


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What a run of a block is given.

    Attributes:
      ints, floats: the hoisted literals.
      params: float32[B, P]. clock: int32[B], completed steps. turn: int32[B], the seat on turn.
      block: uint32[B, 2], random bits.
      actions: int32[B, S], legal; None in reset and view.
    """

    ints: Any
    floats: Any
    params: Any
    clock: Any
    turn: Any
    block: Any
    actions: Any = None


class Machine:
    """Variables and control of one run. ``env`` holds every variable, with a batch axis of B or 1.

    State (fields, columns, outcome, shaping, fault) always has the full batch axis.
    """

    def __init__(
        self, ops: Any, tree: Tree, notes: dict[int, Any], inputs: Inputs, env: dict[Key, Any]
    ) -> None:
        self.ops, self.xp, self.tree, self.notes = ops, ops.xp, tree, notes
        self.inputs, self.env = inputs, env
        self.size = tree.game.size
        self.board = board_of(*self.size)
        self.kit = Kit(ops, self.board)
        self.host = Kit(NUMPY, self.board)
        self.batch = int(inputs.clock.shape[0])
        self.rows: dict[str, Any] = {}  # row variable -> index of its row
        self.visits: list[tuple[str, Key]] = []  # loops over tables under way
        self.mortal: set[str] = set()  # row variables whose loop may kill in their table
        self.index: Any = 0  # linear index of the loops under way
        self.depth = 0  # helpers under way
        self.loops = 0  # loops under way
        self.entry: Mask = None  # mask with which the innermost helper was called
        self.result: Type | None = None  # what the innermost helper returns
        self.drawing = False  # in view: shapes are collected, loops written out
        self.shapes: list[Shape] = []

    def run(self, block: Block, mask: Mask) -> Mask:
        """Run statements; gives the mask of those who reach the end."""
        raise NotImplementedError

    def value_of(self, expr: Expr, mask: Mask) -> Any:
        """The value of an expression (not for tables and rows); ``mask`` says who may fault."""
        raise NotImplementedError

    def changes(self, node: For) -> Any:
        """What a loop's body may change (``changes.Changes``), computed once a program."""
        raise NotImplementedError

    def locals_of(self, node: Inline) -> tuple[str, ...]:
        """Locals that the body of an inlined call assigns."""
        raise NotImplementedError

    # --- variables ----------------------------------------------------------------------------

    def local(self, name: str, type_: Type) -> Any:
        """A local's value; the type's zero where it has none."""
        value = self.env.get(("local", name))
        return zero(type_, self.size) if value is None else value

    def column(self, table: str, name: str) -> Any:
        """A table's column (or "alive"): [B, N] or [B, N, 2]."""
        return self.env[("column", table, name)]

    def capacity(self, table: str) -> int:
        return self.tree.field(table).capacity

    def columns(self, table: str) -> tuple[str, ...]:
        """Names of a table's declared columns."""
        type_ = self.tree.field(table).type
        assert isinstance(type_, TableRef)
        return tuple(column.name for column in self.tree.row(type_.row_type).columns)

    def full(self, value: Any) -> Any:
        """``value`` with the full batch axis."""
        if value.shape[0] == self.batch and not (self.ops.traced and isinstance(value, np.ndarray)):
            return value
        shape = (self.batch, *value.shape[1:])
        if self.ops.traced:
            return self.xp.broadcast_to(value, shape)
        return np.ascontiguousarray(np.broadcast_to(value, shape))

    def fault(self, where: Any, mask: Mask) -> None:
        """Set the fault flag of copies in ``where`` bool[b] and in the mask (not DEAD)."""
        hit = where if mask is None else mask & where
        self.env[FAULT] = self.full(self.env[FAULT] | hit)

    def mark(self, key: Key, mask: Mask) -> None:
        """Add the copies of ``mask`` to the mask variable ``key`` (absent: nobody)."""
        if key not in self.env:
            self.env[key] = np.ones(1, np.bool_) if mask is None else mask
            return
        joined = either(self.env[key], mask)
        self.env[key] = np.ones(1, np.bool_) if joined is None else joined
