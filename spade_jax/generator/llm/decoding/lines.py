"""Answers of several lines: no fault, no repetition, and a few statements at one place."""

from __future__ import annotations

import dataclasses
import re

from envs_dsl.language.grammar import SMALL, Debt, Limits, SoFar, next_line, paying, read_so_far
from spade_jax.generator.llm.decoding.script import MOST_REFUSED, Piece, changes_nothing

__all__ = ["A_LINE", "Lines", "LinesScript"]

A_LINE = 40
"""Tokens of a line, with those of its refused forms; 12 is usual."""

_MAY_REPEAT = re.compile(r"\s*(else:|win\(|lose\(|draw\(|break|continue|reward\()")


class Lines:
    """What scripts of several lines share: the text before, and no line twice in a function."""

    def __init__(self, before: str, limits: Limits) -> None:
        self.before = before
        self.limits = limits
        self.lines: list[str] = []
        self.known = read_so_far(before)

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def _take(self, line: str) -> bool:
        """Read the text again with the line; False where that brings a fault or repeats a line."""
        if _repeats(line, self._function_lines()) or changes_nothing(line):
            return False
        try:
            known = read_so_far(self.before + self.text + line)
        except ValueError:
            return False
        if set(_told(known)) - set(_told(self.known)):
            return False
        self.known = known
        self.lines.append(line)
        return True

    def _function_lines(self) -> list[str]:
        """Lines of the open function or class."""
        whole = (self.before + self.text).split("\n")
        at = max((i for i, line in enumerate(whole) if line[:1] not in ("", " ")), default=0)
        return whole[at + 1 :]


def _told(known: SoFar) -> list[str]:
    return [f"{d.code} {d.message}" for d in known.faults]


def _repeats(line: str, others: list[str]) -> bool:
    written = [other for other in others if other.strip()]
    if written and line.rstrip("\n") == written[-1]:
        return True
    return line.rstrip("\n") in written and not _MAY_REPEAT.match(line)


class LinesScript(Lines):
    """A few statements at one place of a function."""

    def __init__(self, before: str, depth: int, most: int = 6) -> None:
        super().__init__(before, dataclasses.replace(SMALL, depth=min(depth + 2, 6)))
        self.depth = depth
        self.most = most
        self.ended = False
        self.refused = 0
        self.reserve = 2 * A_LINE
        self.first: Debt | None = None
        """What the first line is for, where that is said."""

    def step(self) -> Piece:
        if self.first is not None and not self.lines:
            return Piece(paying(self.known, self.first, self.limits))
        whole = bool(self.lines) and not self.known.opened
        if whole and (self.ended or len(self.lines) >= self.most):
            return Piece("", may_end=True)
        limits = self.limits
        last = self.ended or len(self.lines) >= self.most - 1
        if last or self.refused >= MOST_REFUSED:
            # no more blocks: the lines that are left only close what is open
            limits = dataclasses.replace(limits, depth=max(self.known.spots[0].depth, 1))
        depths = tuple(s.depth for s in self.known.spots if s.depth >= self.depth)
        return Piece(next_line(self.known, limits, depths), may_end=whole)

    def offer(self, piece: str) -> bool:
        taken = self._take(piece)
        self.refused = 0 if taken else self.refused + 1
        return taken

    def wants_end(self) -> None:
        self.ended = True

    def stuck(self) -> bool:
        return self.refused < 2 * MOST_REFUSED
