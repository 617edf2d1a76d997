"""A whole program, line by line."""

from __future__ import annotations

import dataclasses

from envs_dsl.language.grammar import (
    SMALL,
    Debt,
    Limits,
    debts,
    literally,
    next_line,
    paying,
)
from envs_dsl.language.parse import MAX_LINE
from envs_dsl.language.types import TableRef
from envs_dsl.program import check
from spade_jax.generator.llm.decoding import playable
from spade_jax.generator.llm.decoding.lines import A_LINE, Lines
from spade_jax.generator.llm.decoding.script import MOST_REFUSED, Piece

__all__ = ["ProgramScript"]


class ProgramScript(Lines):
    """A whole program: declarations, ``reset``, ``step``, and then what is still owed.

    Args:
      reset, step: lines of these functions after which they come to an end.
    """

    def __init__(self, limits: Limits = SMALL, reset: int = 10, step: int = 16) -> None:
        super().__init__("", limits)
        self.most = {"reset": reset, "step": step}
        self.placing = False
        """What is still to be placed in ``reset`` comes next."""
        self.settling = False
        self.me = ""
        """The field of the player's place, once ``step`` moves it."""
        self.at_goal = False
        """The block that is open is the one that is entered by winning."""
        self.done = False
        self.refused = 0

    def step(self) -> Piece:
        if self.done:
            return Piece("", may_end=True)
        if (
            self.known.section == "Enum" and self._members() < 3
        ):  # ground, goal, and what is in the way
            return Piece(next_line(self.known, self._limits(), (1,)))
        if self.known.section != "function":
            limits = self._hurried() if self.settling else self._limits()
            return Piece(next_line(self.known, limits))
        lines = len([line for line in self._function_lines() if line.strip()])
        if self.known.name == "reset" and not self.known.opened:
            full = self.settling or lines >= self.most["reset"] or self.refused >= MOST_REFUSED
            full = full or self.placing
            owed = playable.placing(self.known, self._function_lines())
            if full and owed:
                return Piece(owed, longest=3 * MAX_LINE)
            if full and lines:
                return Piece(next_line(self.known, self.limits, (0,)))
            inside = tuple(spot.depth for spot in self.known.spots)
            if owed:  # the function does not end before
                return Piece(next_line(self.known, self.limits, inside), may_end=True)
            return Piece(next_line(self.known, self.limits))
        if self.known.name == "step":
            if self.known.empty and (moves := playable.moves(self.known)):
                return Piece(moves)
            if lines >= self.most["step"] or self.refused >= MOST_REFUSED:
                self.settling = True
            if self.settling:
                return self._settle()
        depths = tuple(s.depth for s in self.known.spots)
        return Piece(next_line(self.known, self._limits(), depths), may_end=not self.known.opened)

    @property
    def reserve(self) -> int:
        if self.known.section != "function":
            return 10 * A_LINE
        # most debts are paid by two lines: the head of a block, and what is in it
        unwritten = 4 if self.known.name == "reset" else 1
        return (unwritten + 2 * len(debts(self.known))) * A_LINE

    def _hurried(self) -> Limits:
        """What is left of the declarations when there is little room."""
        declared = self.known.declared
        return dataclasses.replace(
            self.limits,
            params=max(len(declared.params), 1),
            rows=max(len(declared.rows), 1),
            members=3,
            fields=1,
        )

    def _limits(self) -> Limits:
        if self.refused < MOST_REFUSED:
            return self.limits
        return dataclasses.replace(self.limits, depth=max(1, len(self.known.spots)))

    def _members(self) -> int:
        enum = self.known.declared.enums.get(self.known.name)
        return len(enum.members) if enum else 0

    def _settle(self) -> Piece:
        """What is owed, one line after the other; then the end."""
        owed = debts(self.known)
        deepest = self.known.spots[0].depth
        if self.known.opened:
            if owed == (Debt("win"),) and deepest > 1 and (self.at_goal or not self._goal()):
                return Piece(paying(self.known, Debt("win"), self.limits))
            if self.refused >= MOST_REFUSED:
                return Piece(literally("    " * deepest + "reward(-0.1)\n"))
            flat = dataclasses.replace(self.limits, depth=deepest)
            return Piece(next_line(self.known, flat, (deepest,)))
        for debt in owed:
            grammar = self._playable(debt)
            self.at_goal = debt == Debt("win") and bool(grammar)
            grammar = grammar or paying(self.known, debt, self.limits)
            if grammar:
                return Piece(grammar, longest=2 * MAX_LINE)
        self.done = True
        return Piece("", may_end=True)

    def _playable(self, debt: Debt) -> str:
        """Lines that make a game, where for the checker any line that pays the debt would do."""
        if debt.kind == "win":
            return self._goal()
        field = self.known.declared.fields.get(debt.name)
        if debt.kind == "read" and field is not None and isinstance(field.type, TableRef):
            return playable.meeting(self.known, debt.name, self.me)
        return ""

    def _goal(self) -> str:
        _, _, reset = self.text.partition("\ndef reset(s):\n")
        return playable.goal(self.known, reset.partition("\ndef ")[0].split("\n"), self.me)

    def _spoils(self, line: str) -> bool:
        """Whether a line of ``step`` would leave nothing to play for."""
        if self.known.name != "step" or self.known.empty:
            return False
        return playable.spoils(line, self._function_lines(), self.me)

    def offer(self, piece: str) -> bool:
        first = self.known.name == "step" and self.known.empty
        taken = not self._spoils(piece) and self._take(piece)
        if taken and first:
            self.me = playable.mover(piece)
        self.refused = 0 if taken else self.refused + 1
        return taken

    def wants_end(self) -> None:
        if self.known.name == "reset" and self.known.section == "function" and not self.placing:
            self.placing = True
        else:
            self.settling = True

    def stuck(self) -> bool:
        return self.refused < 3 * MOST_REFUSED

    @property
    def complete(self) -> bool:
        """Whether the text passes the checker."""
        return check(self.text).ok
