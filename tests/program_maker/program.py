"""A whole random program: declarations, helpers, reset, step, view."""

from __future__ import annotations

import random

from envs_dsl.language.parse import parse_python
from envs_dsl.language.types import BOOL, INT, Array, Grid, TableRef
from envs_dsl.language.unparse import unparse

from .declared import declare
from .expressions import Helper, Scope
from .statements import Lines, Statements

__all__ = ["ProgramMaker"]


class ProgramMaker(Statements):
    """Makes one program; used up after ``text``."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng, declare(rng))

    def text(self) -> str:
        """The program, in canonical spelling."""
        helpers = [self.helper() for _ in range(self.rng.choice((0, 0, 1, 1, 2)))]
        reset, step = self.reset(), self.step()
        parts = [self.declared.head, *helpers, reset, step]
        if self.rng.random() < 0.4:
            parts.append(
                _function("view", ["s"], self.block(self.rng.randint(1, 5), Scope("view")))
            )
        return unparse(parse_python("\n\n".join(parts)))

    def helper(self) -> str:
        """A helper: pure, with a result on every path."""
        rng, name = self.rng, self.fresh("h")
        result = self.any_type() if rng.random() < 0.5 else rng.choice((INT, self.number(), BOOL))
        scope = Scope("helper", s="")
        params: list[tuple[str, object]] = []
        if rng.random() < 0.6:
            params.append(("s", "s"))
            scope.s = "s"
        for _ in range(rng.randint(0, 2)):
            word, type_ = self.fresh("v"), self.any_type()
            params.append((word, type_))
            scope.values[word] = type_
        if rng.random() < 0.2:
            scope.act = self.fresh("k")
            params.append((scope.act, "act"))
        tables = [f for f in self.declared.fields if isinstance(f.type, TableRef)]
        if tables and rng.random() < 0.2:
            word, table = self.fresh("k"), rng.choice(tables)
            params.append((word, table.name))
            scope.rows[word] = table
        rng.shuffle(params)
        told = set(self.unread), set(self.untold)
        body = self.block(rng.randint(0, 3), scope)
        if rng.random() < 0.5:
            body += [f"if {self.condition(scope)}:", f"    return {self.expr(result, scope, 2)}"]
        body.append(f"return {self.expr(result, scope, 3)}")
        self.unread, self.untold = told  # it may never be called
        self.helpers.append(Helper(name, tuple(p for _, p in params), result))  # type: ignore[misc]
        return _function(name, [word for word, _ in params], body)

    def reset(self) -> str:
        scope = Scope("reset")
        lines = self.block(self.rng.randint(1, 2), scope)
        for field in self.declared.fields:
            if field.name not in self.unwritten:
                continue
            if isinstance(field.type, TableRef):
                lines += self.spawn(field, scope)
            else:
                lines += self.store_to(field, scope)
        return _function("reset", ["s"], lines)

    def step(self) -> str:
        one = self.declared.players == 1 or self.declared.alternate
        scope = Scope("step", act="act" if one else "acts")
        lines = self.block(self.rng.randint(2, 4), scope)
        lines += self.payment(scope) + self.remaining(scope)
        seat = self.seat(scope) if self.declared.contest else ""
        ends = f"s.t >= {self.rng.randint(1, 6)} and {self.condition(scope)}"
        lines += [f"if {ends}:", f"    win({seat})"]
        return _function("step", ["s", scope.act], lines)

    def remaining(self, scope: Scope) -> Lines:
        """Mentions what was declared and not mentioned so far."""
        tests = []
        for field in self.declared.fields:
            if field.name not in self.unread:
                continue
            place = f"s.{field.name}"
            match field.type:
                case Grid(elem=elem):
                    tests.append(f"any({place} == {self.expr(elem, scope, 1)})")
                case Array(elem=elem):
                    place = f"{place}[{self.index(field.type, scope)}]"
                    tests.append(f"{place} == {self.expr(elem, scope, 1)}")
                case TableRef():
                    pass
                case type_:
                    tests.append(f"{place} == {self.expr(type_, scope, 1)}")
        for name in sorted(self.untold):
            if name in self.declared.params:
                tests.append(f"{name} > {self.expr(INT, scope, 1)}")
            elif name in self.declared.layouts:
                enum = self.declared.layouts[name]
                tests.append(f"any(paint({name}) == {enum}.{self.declared.enums[enum][0]})")
            else:
                seat = scope.act if scope.act == "act" else f"acts[{self.seat(scope)}]"
                tests.append(f"{seat}.{name}")
        lines: Lines = []
        for test in tests:
            word = self.fresh("v")
            scope.values[word] = BOOL
            lines += [f"{word} = {test}", *self.use(word, scope)]
        for field in self.declared.fields:
            if isinstance(field.type, TableRef) and field.name in self.unread:
                lines += [f"for b0 in s.{field.name}:", "    reward(0.1, 0)"]
        return lines

    def use(self, word: str, scope: Scope) -> Lines:
        fields = [f for f in self.declared.fields if f.type == BOOL]
        if fields and self.rng.random() < 0.5:
            return [f"s.{self.rng.choice(fields).name} = {word}"]
        return [f"if {word}:", *self.inside(1, scope.inner())]


def _function(name: str, params: list[str], body: Lines) -> str:
    return f"def {name}({', '.join(params)}):\n" + "\n".join("    " + line for line in body)
