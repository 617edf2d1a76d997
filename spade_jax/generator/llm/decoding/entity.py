"""One more thing in a program: a row, a table of it, where it starts and what it does."""

from __future__ import annotations

import re

from envs_dsl.language.grammar import (
    SMALL,
    Debt,
    entity_row,
    entity_table,
    literally,
    paying,
    read_so_far,
)
from spade_jax.generator.llm.decoding.lines import A_LINE, LinesScript
from spade_jax.generator.llm.decoding.script import MOST_REFUSED, Piece
from spade_jax.generator.llm.holes import end_of, merged

__all__ = ["EntityScript"]


class EntityScript:
    """One more thing in a program, under the heads that its parts belong to (``holes.fill``).

    A row with a place, a table of it, a line of ``reset`` that spawns one, and a loop of ``step``
    that says what it does.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.text = ""
        self.parts = [self._row, self._table, self._reset_head, self._spawn, self._step_head]
        self.names: tuple[str, str] = ("", "")
        self.rule: LinesScript | None = None
        self.refused = 0
        self.reserve = 2 * A_LINE

    def step(self) -> Piece:
        if self.rule is not None:
            return self.rule.step()
        return self.parts[0]()

    def offer(self, piece: str) -> bool:
        if self.rule is not None:
            taken = self.rule.offer(piece)
        else:
            taken = self._fits(self.text + piece)
            self.refused = 0 if taken else self.refused + 1
        if not taken:
            return False
        self.text += piece
        if self.rule is None:
            self.parts.pop(0)
            if not self.parts:
                self.rule = LinesScript(self._until("step"), 1, most=7)
                self.rule.first = Debt("read", self._field())
        return True

    def wants_end(self) -> None:
        if self.rule is not None:
            self.rule.wants_end()

    def stuck(self) -> bool:
        return self.refused < MOST_REFUSED and (self.rule is None or self.rule.stuck())

    # --- parts ------------------------------------------------------------------------------------

    def _row(self) -> Piece:
        return Piece(entity_row(read_so_far(self.source)))

    def _table(self) -> Piece:
        row = re.findall(r"class (\w+)\(Row\)", self.text)[0]
        return Piece(entity_table(read_so_far(self.source), row))

    def _reset_head(self) -> Piece:
        return Piece(literally("\ndef reset(s):\n"))

    def _spawn(self) -> Piece:
        known = read_so_far(self._until("reset"))
        return Piece(paying(known, Debt("write", self._field()), SMALL))

    def _step_head(self) -> Piece:
        head = re.search(r"^def step\([^)]*\):", self.source, re.MULTILINE)
        return Piece(literally(f"\n{head[0] if head else 'def step(s, act):'}\n"))

    def _field(self) -> str:
        return re.findall(r"class State:\n    (\w+):", self.text)[0]

    def _until(self, function: str) -> str:
        """The program with the answer so far in it, up to the end of a function."""
        text = re.sub(r"\ndef \w+\([^)]*\):\n$", "", self.text)
        whole = merged(self.source, text)
        end = end_of(whole, function)
        return "".join(f"{line}\n" for line in whole.split("\n")[:end])

    def _fits(self, answer: str) -> bool:
        if answer.endswith(":\n"):
            return True
        try:
            known = read_so_far(merged(self.source, answer).rstrip("\n") + "\n")
        except ValueError:
            return False
        return not known.faults
