"""One copy of a program, one statement after the other: branches are taken or not, loops end.

Nothing here knows of batches, masks or arrays. What an untaken branch would have drawn needs no
care: a draw is named by its place in the program, not by how many came before it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from typing import Any

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.types import Field, Grid, TableRef
from envs_dsl.language.vocabulary import TAGS

from . import work
from .bits import draw_bits
from .boards import BOARDS, Board
from .chance import drawn
from .numbers import rounded, single, to_int
from .scalars import SCALARS
from .tables import TABLES
from .values import copied, element, fresh, saturate, zero, zero_row

__all__ = ["Drawing", "Inputs", "Interpreter"]


MOST = 1e6
"""A single reward is held within ± this."""


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What a block is given: parameters, completed steps, the step's bits, legal actions,
    the seat on turn."""

    params: tuple[float, ...]
    clock: int
    block: tuple[int, int]
    actions: tuple[int, ...] | None = None
    turn: int = 0


@dataclasses.dataclass(frozen=True)
class Drawing:
    """One drawing of ``view``: a point and a radius or a second point; a colour or a seat."""

    kind: str
    args: tuple[Any, ...]
    color: int | None
    seat: int | None


class _Jump(Exception):
    """Leaves the statements around a break, continue or return."""


class _Break(_Jump):
    pass


class _Continue(_Jump):
    pass


class _Return(_Jump):
    def __init__(self, value: Any) -> None:
        self.value = value


class Interpreter:
    """Runs one block of a tree on the fields of one state.

    Attributes:
      fields: the state's fields, changed in place.
      outcome: the first ``win``, ``lose`` or ``draw``: its name and seat; None while there is none.
      shaping: sum of the rewards of each seat.
      fault: a NaN was stored or paid, or ``random_cell`` found no cell.
      drawings: what ``view`` drew.
      work: element operations of the statements that ran.
    """

    def __init__(self, tree: T.Tree, fields: dict[str, Any], inputs: Inputs) -> None:
        self.tree, self.fields, self.inputs = tree, fields, inputs
        self.size = tree.game.size
        self.board = Board(self.size)
        self.outcome: tuple[str, int | None] | None = None
        self.again = False
        self.shaping = [0.0] * tree.game.players
        self.fault = False
        self.drawings: list[Drawing] = []
        self.work = 0
        self._locals: dict[str, Any] = {}
        self._rows: dict[str, tuple[str, int]] = {}
        self._index = 0  # linear index of the loops around
        self._births = 0
        self._born: dict[tuple[str, int], int] = {}  # who is in a row: changes with every spawn

    def run(self, block: T.Block) -> None:
        """Run a whole function body."""
        with contextlib.suppress(_Return):
            self._block(block)

    # --- statements ---

    def _block(self, block: T.Block) -> None:
        for stmt in block:
            self._stmt(stmt)

    def _stmt(self, node: T.Stmt) -> None:
        match node:
            case T.Assign(target=target, value=value):
                self._assign(target, self._expr(value))
            case T.If(test=test, then=then, orelse=orelse):
                taken = self._expr(test)
                self.work += work.of_merge(node, self.tree)
                self._block(then if taken else orelse)
            case T.For():
                self._loop(node)
            case T.Break():
                raise _Break
            case T.Continue():
                raise _Continue
            case T.Return(value=value):
                raise _Return(None if value is None else self._expr(value))
            case T.Effect():
                self._effect(node)
            case T.Spawn():
                self._spawn(node)
            case T.Kill(table=table, row=row):
                self.work += self.tree.field(table).capacity
                _, index = self._rows[row]
                self.fields[table][index] = zero_row(self.tree, self.tree.field(table))
            case T.Swap(field=field, first=first, second=second):
                p, q = self._expr(first), self._expr(second)
                self.work += TABLE["swap"].weight * self.size[0] * self.size[1]
                if self.board.inside(p) and self.board.inside(q):
                    grid = self.fields[field]
                    one, two = grid[p[0]][p[1]], grid[q[0]][q[1]]
                    grid[p[0]][p[1]], grid[q[0]][q[1]] = two, one

    def _loop(self, node: T.For) -> None:
        outer = self._index
        at_start = [self._identity(node.table, i) for i in range(node.count)]
        for i in range(node.count):
            if node.kind == "table":
                if at_start[i] is None or self._identity(node.table, i) != at_start[i]:
                    continue
                self._rows[node.var] = (node.table, i)
            else:
                self._locals[node.var] = {
                    "range": node.start + i * node.step,
                    "dirs": node.start + i,
                }.get(node.kind, i)
            self._index = outer * node.count + i
            self.work += 1
            try:
                self._block(node.body)
            except _Break:
                break
            except _Continue:
                continue
            finally:
                self._index = outer

    def _identity(self, table: str, row: int) -> int | None:
        """Who is in a row of a table; None when it is free."""
        if not table or not self.fields[table][row]["alive"]:
            return None
        return self._born.get((table, row), 0)

    def _effect(self, node: T.Effect) -> None:
        args = tuple(self._expr(arg) for arg in node.args)
        seat = None if node.seat is None else self._expr(node.seat)
        players = self.tree.game.players
        self.work += max(players, 1)
        if node.op in ("disc", "ring", "bar"):
            painter = None if node.color is not None else args[2]
            self.drawings.append(Drawing(node.op, args[:2], node.color, painter))
        elif node.op == "again":
            self.again = True
        elif seat is not None and not 0 <= seat < players:
            return
        elif node.op == "reward":
            self._reward(args[0], seat)
        elif self.outcome is None:
            self.outcome = (node.op, seat)

    def _reward(self, amount: float, seat: int | None) -> None:
        if math.isnan(amount):
            self.fault = True
            return
        players = self.tree.game.players
        amount = min(max(amount, -MOST), MOST)
        for i in range(players):
            if seat is None or seat == i:
                share = amount
            elif self.tree.contest:
                share = rounded(-amount / (players - 1))
            else:
                continue
            self.shaping[i] = rounded(self.shaping[i] + share)

    def _spawn(self, node: T.Spawn) -> None:
        table = self.tree.field(node.table)
        assert isinstance(table.type, TableRef)
        given = {name: self._expr(value) for name, value in node.columns}
        width = 1 + sum(work.size_of(value.type, self.tree) for _, value in node.columns)
        self.work += TABLE["spawn"].weight * table.capacity * width
        rows = self.fields[node.table]
        free = next((i for i, row in enumerate(rows) if not row["alive"]), None)
        if free is not None:
            rows[free] = {"alive": True}
            for column in self.tree.row(table.type.row_type).columns:
                value = fresh(self.tree, column)
                if column.name in given:
                    value = self._held(column, given[column.name])
                rows[free][column.name] = value
            self._births += 1
            self._born[node.table, free] = self._births
        if node.ok is not None:
            self._assign(node.ok, free is not None)

    # --- stores ---

    def _held(self, declared: Field, value: Any) -> Any:
        held, nan = saturate(declared, value, self.size)
        self.fault = self.fault or nan
        return held

    def _assign(self, target: T.Target, value: Any) -> None:
        self.work += work.of_target(target, self.tree)
        if isinstance(target, T.LocalTarget):
            self._locals[target.name] = copied(value)
            return
        field = self.tree.field(target.field)
        if target.row is not None:
            table, index = self._rows[target.row]
            row = self.fields[table][index]
            if row["alive"]:
                assert isinstance(field.type, TableRef) and target.column is not None
                columns = self.tree.row(field.type.row_type).columns
                declared = next(c for c in columns if c.name == target.column)
                whole = self._whole(row[target.column], target.component, value)
                row[target.column] = self._held(declared, whole)
            return
        if target.index is None:
            whole = self._whole(self.fields[field.name], target.component, value)
            self.fields[field.name] = self._held(field, copied(whole))
            return
        index = self._expr(target.index)
        if isinstance(field.type, Grid):
            if self.board.inside(index):
                line = self.fields[field.name][index[0]]
                line[index[1]] = self._held(field, value)
        elif 0 <= index < len(self.fields[field.name]):
            items = self.fields[field.name]
            whole = self._whole(items[index], target.component, value)
            items[index] = self._held(field, whole)

    @staticmethod
    def _whole(before: Any, component: int | None, value: Any) -> Any:
        """The pair with one of its components replaced, where ``component`` says which."""
        if component is None:
            return value
        return (value, before[1]) if component == 0 else (before[0], value)

    # --- expressions ---

    def _expr(self, node: T.Expr) -> Any:
        match node:
            case T.Call():
                return self._call(node)
            case T.LocalRef(name=name):
                return self._locals[name]
            case T.FieldRef(field=field):
                return copied(self.fields[field])
            case T.Const(value=value):
                return value
            case T.Literal(value=value, type=type_):
                return single(float(value)) if type_.kind == "Float" else int(value)
            case T.Painted(cells=cells):
                self.work += TABLE["paint"].weight * len(cells)
                return self.board.filled(lambda r, c: cells[r * self.size[1] + c])
            case T.ParamRef(index=index, type=type_):
                value = self.inputs.params[index]
                return to_int(float(round(value))) if type_.kind == "Int" else value
            case T.Element():
                return self._element(node)
            case T.Column(row=row, column=column):
                table, index = self._rows[row]
                return self.fields[table][index][column]
            case T.Component(base=base, axis=axis):
                self.work += 1
                return self._expr(base)[axis]
            case T.Inline():
                return self._inline(node)
            case T.Act():
                return self._act(node)
            case T.Clock():
                return self.inputs.clock
            case T.Turn():
                return self.inputs.turn
            case T.TableName(field=field):
                return field
        raise TypeError(node)

    def _element(self, node: T.Element) -> Any:
        self.work += 2 * work.size_of(node.type, self.tree)
        base, index = self._expr(node.base), self._expr(node.index)
        if isinstance(node.base.type, Grid):
            if self.board.inside(index):
                return base[index[0]][index[1]]
            if isinstance(node.base, T.FieldRef):
                outside = self.tree.field(node.base.field).outside
                return single(float(outside)) if node.type.kind == "Float" else outside
        elif 0 <= index < len(base):
            return base[index]
        return zero(node.type, self.size)

    def _inline(self, node: T.Inline) -> Any:
        for name, value in [(name, self._expr(value)) for name, value in node.params]:
            self._locals[name] = copied(value)
        try:
            self._block(node.body)
        except _Return as result:
            return result.value
        raise AssertionError("a helper ends with a return")

    def _act(self, node: T.Act) -> Any:
        self.work += 1
        actions = self.inputs.actions or ()
        if node.seat is not None:
            seat = self._expr(node.seat)
        else:
            seat = self.inputs.turn
        action = actions[seat] if 0 <= seat < len(actions) else 0
        if node.verb is None:
            return action if action < 5 else 0
        return action == node.verb

    def _call(self, node: T.Call) -> Any:
        args = [self._expr(arg) for arg in node.args]
        self.work += work.of_call(node, self.tree)
        if TABLE[node.op].draws:
            return self._draw(node, args)
        if node.op in TABLES:
            return TABLES[node.op](self, *args)
        if node.op in ("solid", "tagged"):
            return self._tagged(node, args)
        if node.op in BOARDS:
            if node.op == "shift":
                args.append(zero(element(node.type), self.size))
            return BOARDS[node.op](self.board, *args)
        return self._lifted(SCALARS[node.op], args, node.type)

    def _lifted(self, function: Any, args: list[Any], type_: Any) -> Any:
        """A function of scalars, cell by cell where the result is a grid."""
        if not isinstance(type_, Grid):
            return function(*args)

        def cell(row: int, col: int) -> Any:
            parts = (arg[row][col] if isinstance(arg, list) else arg for arg in args)
            return function(*parts)

        return self.board.filled(cell)

    def _tagged(self, node: T.Call, args: list[Any]) -> Any:
        looks = self.tree.enum(element(node.args[0].type).enum).looks
        tag = TAGS[args[1]] if node.op == "tagged" else "solid"
        return self._lifted(lambda member: tag in looks[member].tags, args[:1], node.type)

    def _draw(self, node: T.Call, args: list[Any]) -> Any:
        def bits(lane: int = 0, cell: int = 0) -> int:
            return draw_bits(self.inputs.block, node.site, self._index, lane, cell)

        value = drawn(self.board, node.op, args, bits)
        if value is None:
            self.fault = True
            return (-1, -1)
        return value
