"""The ladder of freedom: how much a model is trusted with, moved by the share that passes.

From the least to the most: the parameters of a program as a template, a typed hole in a program, an
edit of a program, a whole program. Most of a round is asked on the present rung, a quarter on the
one above, so that there is something to go by when it is time to climb. When quality sags, help
comes first, one kind at a time: more guidance, then safer examples, then a lower temperature; only
then a rung down. Where nothing passes at all, that is not waited for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["HELP", "RUNGS", "Ladder", "Move"]

RUNGS = ("parameters", "holes", "edit", "program")
HELP = ("none", "guidance", "examples", "temperature")
"""What is added when quality sags; each level has those below it."""

START = "edit"
ENOUGH = 6.0  # attempts behind a decision
FADE = 0.8  # of the weight of earlier rounds
SAG, HOPELESS, CLIMB = 0.2, 0.02, 0.5
ABOVE = 0.25  # share of a round that is asked one rung up
COOL = 0.6  # what temperature is multiplied with at the last level of help
_KEPT = 20  # moves that are remembered


@dataclasses.dataclass(frozen=True)
class Move:
    """One decision: in which round, from and to where ("edit", "edit+guidance"), and why."""

    round: int
    before: str
    after: str
    rate: float
    attempts: float


class Ladder:
    """Where the generator stands; JSON state. It moves only in ``observe``.

    Args:
      fixed: stay on this rung; "auto" moves.
    """

    def __init__(self, fixed: str = "auto") -> None:
        if fixed not in (*RUNGS, "auto"):
            raise ValueError(f"unknown rung {fixed!r}; known: auto, {', '.join(RUNGS)}")
        self.fixed = fixed != "auto"
        self.rung = fixed if self.fixed else START
        self.help = 0
        self.counts: dict[str, tuple[float, float]] = {}  # rung → passed, attempts
        self.moves: list[Move] = []

    @property
    def place(self) -> str:
        """The rung, and with what help it is asked: "edit" or "edit+guidance"."""
        return "+".join((self.rung, *HELP[1 : self.help + 1][-1:]))

    def plan(self, n: int, possible: Sequence[str] = RUNGS) -> tuple[str, ...]:
        """The rung of each of ``n`` proposals; where it is not ``possible``, a neighbour."""
        above = self._above()
        extra = 0 if self.fixed or above is None else int(ABOVE * n)
        wanted = [self.rung] * (n - extra) + [above or self.rung] * extra
        return tuple(_nearest(rung, possible) for rung in wanted)

    def temperature(self, base: float) -> float:
        """The temperature to ask with."""
        return base * COOL if self.help >= HELP.index("temperature") else base

    def rate(self, rung: str) -> tuple[float, float]:
        """(share that passed, attempts) on a rung, earlier rounds faded; (0, 0) for none."""
        passed, attempts = self.counts.get(rung, (0.0, 0.0))
        return (passed / attempts if attempts else 0.0), attempts

    def observe(self, round: int, results: Sequence[tuple[str, bool]]) -> None:
        """Take in a round: (rung, whether every stage of the executor passed) an attempt."""
        if not results:
            return
        self.counts = {r: (p * FADE, a * FADE) for r, (p, a) in self.counts.items()}
        for rung, passed in results:
            p, a = self.counts.get(rung, (0.0, 0.0))
            self.counts[rung] = (p + passed, a + 1.0)
        rate, attempts = self.rate(self.rung)
        if attempts < ENOUGH:
            return
        rung, help = self._decide(rate)
        if (rung, help) != (self.rung, self.help):
            before = self.place
            self.rung, self.help = rung, help
            self.moves.append(Move(round, before, self.place, round_(rate), round_(attempts)))
            self.moves = self.moves[-_KEPT:]
            # What was counted under other conditions says little about these.
            self.counts.pop(rung, None)

    def _decide(self, rate: float) -> tuple[str, int]:
        below, above = self._below(), self._above()
        last = len(HELP) - 1
        if rate < SAG:
            if not self.fixed and below and (rate <= HOPELESS or self.help == last):
                return below, 0
            return self.rung, min(self.help + 1, last)
        if rate >= CLIMB:
            if self.help:
                return self.rung, self.help - 1
            if not self.fixed and above:
                share, attempts = self.rate(above)
                if attempts == 0 or share >= SAG:
                    return above, 0
        return self.rung, self.help

    def _below(self) -> str | None:
        index = RUNGS.index(self.rung)
        return RUNGS[index - 1] if index else None

    def _above(self) -> str | None:
        index = RUNGS.index(self.rung)
        return RUNGS[index + 1] if index + 1 < len(RUNGS) else None

    def state_dict(self) -> dict[str, Any]:
        """Everything, as JSON values."""
        return {
            "rung": self.rung,
            "help": self.help,
            "counts": {rung: list(pair) for rung, pair in sorted(self.counts.items())},
            "moves": [dataclasses.asdict(m) for m in self.moves],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` gave. Raises ValueError for a rung there is not."""
        if state["rung"] not in RUNGS or not 0 <= int(state["help"]) < len(HELP):
            raise ValueError(f"no such place on the ladder: {state['rung']}, help {state['help']}")
        self.rung, self.help = state["rung"], int(state["help"])
        self.counts = {rung: (float(p), float(a)) for rung, (p, a) in state["counts"].items()}
        self.moves = [Move(**m) for m in state["moves"]]


def _nearest(rung: str, possible: Sequence[str]) -> str:
    """The rung itself where it is possible, else the nearest one, upwards first."""
    index = RUNGS.index(rung)
    order = sorted(RUNGS, key=lambda r: (abs(RUNGS.index(r) - index), -RUNGS.index(r)))
    return next(r for r in order if r in possible)


def round_(value: float) -> float:
    """Short enough to be read in a record."""
    return round(value, 4)
