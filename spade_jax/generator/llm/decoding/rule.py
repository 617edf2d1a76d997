"""A rule in the place of another, with whatever the program would owe without that one."""

from __future__ import annotations

import dataclasses
import re

from envs_dsl.language.grammar import Debt, debts, next_line, paying, read_so_far
from spade_jax.generator.llm.decoding.lines import LinesScript
from spade_jax.generator.llm.decoding.script import Piece

__all__ = ["RuleScript"]

_LOCAL = re.compile(r"    (\w+) [-+*/]?= ")

MOST_PAID = 4
"""Debts that are paid: a rule that did more than this is not replaced well anyway."""


class RuleScript(LinesScript):
    """Statements of ``step``, between what stands above and below them.

    The rule that stood there may have been the only one that won, or read a field: lines that do
    so are asked for before the answer ends, where there are such.

    Args:
      before, after: the program above and below the place.
    """

    def __init__(self, before: str, after: str) -> None:
        super().__init__(before, 1)
        self.after = after
        self.paid = 0

    def step(self) -> Piece:
        if self.ended and self.known.opened:
            return Piece(self._block())
        piece = super().step()
        if piece.grammar:
            return dataclasses.replace(piece, may_end=piece.may_end and not self._idle())
        self.ended = True
        owed = self._owed() if self.paid < MOST_PAID else ()
        grammar = paying(self.known, owed[0], self.limits) if owed else ""
        return Piece(grammar) if grammar else piece

    def offer(self, piece: str) -> bool:
        taken = super().offer(piece)
        self.paid += self.ended and taken
        return taken

    def _idle(self) -> bool:
        """Whether nothing but locals was written, which nobody reads."""
        names = [match[1] for line in self.lines if (match := _LOCAL.match(line))]
        read = re.compile(rf"\b(?:{'|'.join(names)})\b")
        return len(names) == len(self.lines) and not read.search(self.after)

    def _block(self) -> str:
        """The one line of a block that was opened to pay."""
        depth = self.known.spots[0].depth
        win = Debt("win")
        if self._owed(of="pass") == (win,):
            return paying(self.known, win, self.limits)
        return next_line(self.known, dataclasses.replace(self.limits, depth=depth), (depth,))

    def _owed(self, of: str = "") -> tuple[Debt, ...]:
        """What the whole program would owe; ``of`` stands for the line that is still open."""
        line = f"{'    ' * self.known.spots[0].depth}{of}\n" if of else ""
        try:
            return debts(read_so_far(self.before + self.text + line + self.after.lstrip("\n")))
        except ValueError:
            return ()
