"""Random statements: every form that the language has."""

from __future__ import annotations

import random

from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POS,
    VEC2,
    Array,
    Grid,
    TableRef,
    Type,
    enum_type,
)
from envs_dsl.language.vocabulary import COLORS

from .declared import Declared, Member, literal
from .expressions import Expressions, Scope

__all__ = ["Lines", "Statements"]

Lines = list[str]
NUMBERS = (INT, FLOAT)
MOST = 24
"""Names of a program after which no blocks are opened any more."""


class Statements(Expressions):
    """Makes blocks of statements; ``unwritten`` keeps the fields that are still to be stored to."""

    def __init__(self, rng: random.Random, declared: Declared) -> None:
        super().__init__(rng, declared)
        self.unwritten = {f.name for f in declared.fields}
        self.names = 0

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def block(self, count: int, scope: Scope) -> Lines:
        """That many statements (some of them with blocks of their own)."""
        lines: Lines = []
        for _ in range(count):
            lines += self.statement(scope)
        return lines or ["pass"]

    def statement(self, scope: Scope) -> Lines:
        forms = [(self.new_local, 4), (self.old_local, 3)]
        if scope.level < 3 and self.names < MOST:
            forms += [(self.branch, 3), (self.loop, 2)]
        if scope.loops:
            forms.append((self.jump, 2))
        if scope.function in ("reset", "step"):
            forms += [
                (self.store, 9),
                (self.changed, 3),
                (self.table, 9 if scope.rows else 5),
                (self.swapped, 1),
            ]
            forms += [(self.leaving, 0.4)]
        if scope.function == "step":
            forms.append((self.payment, 3))
        if scope.function == "view":
            forms.append((self.drawing, 8))
        makers, weights = zip(*forms)
        return self.rng.choices(makers, weights)[0](scope)

    # --- locals ---

    def new_local(self, scope: Scope) -> Lines:
        type_ = self.any_type()
        arrays = [f.type for f in self.declared.fields if isinstance(f.type, Array)]
        if arrays and scope.s and self.rng.random() < 0.1:
            type_ = self.rng.choice(arrays)
        value = self.expr(type_, scope, 3)
        name = self.fresh("v")
        scope.values[name] = type_
        return [f"{name} = {value}"]

    def old_local(self, scope: Scope) -> Lines:
        known = [(n, t) for n, t in scope.values.items() if n not in scope.fixed]
        if not known:
            return self.new_local(scope)
        name, type_ = self.rng.choice(known)
        if self.rng.random() < 0.5:
            changed = self.change(name, type_, scope)
            if changed:
                return changed
        narrow = type_ == FLOAT and self.rng.random() < 0.2
        return [f"{name} = {self.expr(INT if narrow else type_, scope, 3)}"]

    def change(self, target: str, type_: Type, scope: Scope) -> Lines:
        """``target += …`` and the like; nothing where the type has no such operator."""
        elem = type_.elem if isinstance(type_, Grid) else type_
        if elem in NUMBERS:
            op = self.rng.choice(("+=", "-=", "*="))
            return [f"{target} {op} {self.expr(type_, scope, 2)}"]
        if elem == VEC2:
            if self.rng.random() < 0.3:
                return [f"{target} *= {self.expr(FLOAT, scope, 1)}"]
            return [f"{target} {self.rng.choice(('+=', '-='))} {self.expr(type_, scope, 2)}"]
        if elem == POS and not isinstance(type_, Grid):
            return [f"{target} {self.rng.choice(('+=', '-='))} {self.expr(DIR, scope, 2)}"]
        return []

    # --- stores ---

    def store(self, scope: Scope) -> Lines:
        fields = [f for f in self.declared.fields if not isinstance(f.type, TableRef)]
        waiting = [f for f in fields if f.name in self.unwritten]
        row_stores = self.columns(scope)
        if row_stores and self.rng.random() < 0.3:
            target, type_ = self.rng.choice(row_stores)
            return [f"{target} = {self.expr(type_, scope, 3)}"]
        return self.store_to(self.rng.choice(waiting or fields), scope)

    def store_to(self, field: Member, scope: Scope) -> Lines:
        """A store to a field, or to a part of it."""
        self.unwritten.discard(field.name)
        target, type_ = f"{scope.s}.{field.name}", field.type
        if isinstance(type_, Array):
            if self.rng.random() < 0.12:
                return [f"{target} = {self.expr(type_, scope, 1)}"]
            target, type_ = f"{target}[{self.index(type_, scope, 1)}]", type_.elem
        elif isinstance(type_, Grid):
            form = self.rng.random()
            if form < 0.2:
                return [f"{target} = {literal(self.rng, type_.elem, self.declared.enums)}"]
            if form < 0.6:
                return [f"{target} = {self.expr(type_, scope, 3)}"]
            target, type_ = f"{target}[{self.index(type_, scope, 1)}]", type_.elem
        target, type_ = self.part(target, type_)
        narrow = type_ == FLOAT and self.rng.random() < 0.1
        return [f"{target} = {self.expr(INT if narrow else type_, scope, 3)}"]

    def part(self, target: str, type_: Type) -> tuple[str, Type]:
        """A pair, or now and then one part of it."""
        if type_ in (POS, VEC2) and self.rng.random() < 0.3:
            if type_ == POS:
                return f"{target}.{self.rng.choice(('row', 'col'))}", INT
            return f"{target}.{self.rng.choice(('x', 'y'))}", FLOAT
        return target, type_

    def columns(self, scope: Scope) -> list[tuple[str, Type]]:
        return [
            self.part(f"{row}.{c.name}", c.type)
            for row, table in scope.rows.items()
            for c in self.declared.table_columns(table)
        ]

    def changed(self, scope: Scope) -> Lines:
        """A field, a part or a column changed in place."""
        before = set(self.unread), set(self.untold)
        targets = self.columns(scope)
        for field in self.declared.fields:
            if isinstance(field.type, TableRef):
                continue
            target, type_ = f"{scope.s}.{field.name}", field.type
            if isinstance(type_, Array) or (isinstance(type_, Grid) and self.rng.random() < 0.6):
                target, type_ = f"{target}[{self.index(type_, scope, 1)}]", type_.elem
            targets.append(self.part(target, type_))
        self.unread, self.untold = before  # most of what was made is thrown away
        self.rng.shuffle(targets)
        for target, type_ in targets:
            lines = self.change(target, type_, scope)
            if lines:
                self.read(target)
                return lines
        return self.store(scope)

    def swapped(self, scope: Scope) -> Lines:
        grids = [f for f in self.declared.fields if isinstance(f.type, Grid)]
        field = self.rng.choice(grids)
        self.unread.discard(field.name)
        self.unwritten.discard(field.name)
        places = ", ".join(self.expr(POS, scope, 2) for _ in range(2))
        return [f"swap({scope.s}.{field.name}, {places})"]

    # --- control ---

    def branch(self, scope: Scope) -> Lines:
        few = self.rng.randint(1, 2)
        lines = [f"if {self.condition(scope)}:", *self.inside(few, scope.inner())]
        if self.rng.random() < 0.3:
            lines += [f"elif {self.condition(scope)}:", *self.inside(1, scope.inner())]
        if self.rng.random() < 0.5:
            lines += ["else:", *self.inside(self.rng.randint(1, 2), scope.inner())]
            if self.rng.random() < 0.3:  # assigned on every path: known afterwards
                name, type_ = self.fresh("v"), self.any_type()
                whole = [f"if {self.condition(scope)}:"]
                whole.append(f"    {name} = {self.expr(type_, scope, 2)}")
                whole += ["else:", f"    {name} = {self.expr(type_, scope, 2)}"]
                scope.values[name] = type_
                lines += whole
        return lines

    def inside(self, count: int, scope: Scope) -> Lines:
        return ["    " + line for line in self.block(count, scope)]

    def loop(self, scope: Scope) -> Lines:
        if scope.loops >= 2 or scope.trips > 12:
            return self.new_local(scope)
        inner, name = scope.inner(), self.fresh("b")
        tables = [f for f in self.declared.fields if isinstance(f.type, TableRef)]
        kinds = ["range", "range", "dirs4", "dirs8", "players", "enum"]
        if tables and scope.s:
            kinds += ["table"] * 4
        kind = self.rng.choice(kinds)
        type_: Type = INT
        match kind:
            case "range":
                trips = self.rng.choice((1, 2, 3, 4, 5, 9))
                start, step = self.rng.choice(((0, 1), (0, 1), (2, 1), (-3, 2), (5, -2)))
                over = f"range({trips})" if (start, step) == (0, 1) else ""
                over = over or f"range({start}, {start + trips * step}, {step})"
            case "dirs4" | "dirs8":
                over, type_, trips = f"{kind}()", DIR, int(kind[-1])
            case "players":
                over, trips = "players()", self.declared.players
            case "enum":
                over = self.rng.choice(list(self.declared.enums))
                type_, trips = enum_type(over), len(self.declared.enums[over])
            case _:
                table = self.rng.choice(tables)
                self.unread.discard(table.name)
                over, trips = f"{scope.s}.{table.name}", table.capacity
                inner.rows[name] = table
        if kind != "table":
            inner.values[name] = type_
            inner.fixed.add(name)
        inner.trips *= trips
        inner.loops += 1
        return [f"for {name} in {over}:", *self.inside(self.rng.randint(1, 3), inner)]

    def jump(self, scope: Scope) -> Lines:
        word = self.rng.choice(("break", "continue"))
        before = self.block(1, scope.inner()) if self.rng.random() < 0.5 else []
        lines = [f"if {self.condition(scope)}:", *("    " + line for line in [*before, word])]
        return lines

    def leaving(self, scope: Scope) -> Lines:
        return [f"if {self.condition(scope)} and s.t == 2:", "    return"]

    # --- tables ---

    def table(self, scope: Scope) -> Lines:
        tables = [f for f in self.declared.fields if isinstance(f.type, TableRef)]
        if not tables:
            return self.store(scope)
        if scope.rows and self.rng.random() < 0.7:
            row = self.rng.choice(list(scope.rows))
            if self.rng.random() < 0.5:
                return [f"if {self.condition(scope)}:", f"    kill({row})"]
            return [f"kill({row})"]
        return self.spawn(self.rng.choice(tables), scope)

    def spawn(self, table: Member, scope: Scope) -> Lines:
        columns = list(self.declared.table_columns(table))
        self.rng.shuffle(columns)
        self.unwritten.discard(table.name)
        given = [c for c in columns if self.rng.random() < 0.8]
        values = [f"{c.name}={self.expr(c.type, scope, 2)}" for c in given]
        call = f"spawn({', '.join([f'{scope.s}.{table.name}', *values])})"
        bools = [f for f in self.declared.fields if f.type == BOOL]
        form = self.rng.random()
        if form < 0.25:
            name = self.fresh("v")
            scope.values[name] = BOOL
            return [f"{name} = {call}"]
        if form < 0.45 and bools:
            field = self.rng.choice(bools)
            self.unwritten.discard(field.name)
            return [f"{scope.s}.{field.name} = {call}"]
        return [call]

    # --- effects ---

    def payment(self, scope: Scope) -> Lines:
        seat = self.expr(INT, scope, 1) if self.rng.random() < 0.4 else self.seat(scope)
        form = self.rng.random()
        if form < 0.4:
            amount = self.expr(FLOAT, scope, 2)
            if self.declared.players > 1 and (self.declared.contest or self.rng.random() < 0.5):
                return [f"reward({amount}, {self.literal_seat(seat)})"]
            return [f"reward({amount})"]
        if self.declared.alternate and form < 0.65:
            effect = "again()"
        elif form < 0.75:
            effect = "draw()"
        elif self.declared.contest:
            effect = f"win({self.literal_seat(seat)})"
        else:
            effect = self.rng.choice(("win()", "lose()"))
        return [f"if {self.condition(scope)}:", f"    {effect}"]

    def literal_seat(self, seat: str) -> str:
        """A seat: written out, one that exists."""
        try:
            return str(int(seat.strip("()")) % self.declared.players)
        except ValueError:
            return seat if seat not in self.declared.constants else "0"

    def drawing(self, scope: Scope) -> Lines:
        what = f'"{self.rng.choice(COLORS)}"'
        if self.rng.random() < 0.4:
            what = self.expr(INT, scope, 1)
        point = self.expr(VEC2, scope, 2)
        kind = self.rng.choice(("disc", "ring", "bar"))
        second = self.expr(VEC2 if kind == "bar" else FLOAT, scope, 1)
        return [f"{kind}({point}, {second}, {what})"]
