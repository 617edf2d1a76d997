"""What a person thinks of admitted programs: a sample to look at, verdicts, and when they count.

A verdict is written beside the run, in ``audit/verdicts.jsonl``, at any time. It takes effect at
the start of a round, and that it did, and in which, is written to ``audit/heeded.jsonl``, which
like the executor's verdicts is never cut back: a run that is resumed or done again removes the same
programs in the same rounds.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spade_jax.records import Journal, RecordError, read_jsonl

__all__ = [
    "Audit",
    "HeededVerdict",
    "PersonVerdict",
    "read_heeded",
    "read_verdicts",
    "sample",
]

SHARE = 0.1
"""Of each round's accepted programs, that a person is asked to look at."""


@dataclasses.dataclass(frozen=True)
class PersonVerdict:
    """A person's word on one program: kept, or (``rejected``) taken out, and why."""

    program_hash: str
    rejected: bool
    because: str = ""


@dataclasses.dataclass(frozen=True)
class HeededVerdict:
    """A rejection that counts from the start of ``round`` on."""

    program_hash: str
    round: int
    because: str = ""


def sample(
    admitted: Mapping[int, Iterable[str]], seed: int, share: float = SHARE
) -> dict[int, tuple[str, ...]]:
    """Program hashes to look at, by round: ``share`` of each round's, rounded up.

    Drawn by a hash of seed, round and program, so that the order of admission does not matter and a
    round's sample stays what it is when the run goes on.
    """

    def draw(round: int, program: str) -> bytes:
        return hashlib.sha256(f"audit {seed} {round} {program}".encode()).digest()

    found: dict[int, tuple[str, ...]] = {}
    for round, programs in sorted(admitted.items()):
        drawn = sorted(set(programs), key=lambda p: draw(round, p))
        if drawn:
            found[round] = tuple(drawn[: math.ceil(share * len(drawn))])
    return found


def read_verdicts(run: Path) -> dict[str, PersonVerdict]:
    """A person's last word on each program, by hash.

    Raises:
      RecordError: a line is no verdict.
    """
    found: dict[str, PersonVerdict] = {}
    for values in _lines(run / "audit" / "verdicts.jsonl", ("program_hash", str), ("verdict", str)):
        if values["verdict"] not in ("approve", "reject"):
            path = run / "audit" / "verdicts.jsonl"
            raise RecordError(f"{path}: {values['verdict']!r} is neither 'approve' nor 'reject'")
        key = values["program_hash"]
        rejected = values["verdict"] == "reject"
        found[key] = PersonVerdict(key, rejected, str(values.get("because", "")))
    return found


def read_heeded(run: Path) -> dict[str, HeededVerdict]:
    """The rejections that have taken effect (or will, in a run that is done again), by hash.

    Raises:
      RecordError: a line is no such record.
    """
    found: dict[str, HeededVerdict] = {}
    for values in _lines(run / "audit" / "heeded.jsonl", ("program_hash", str), ("round", int)):
        key = values["program_hash"]
        found.setdefault(key, HeededVerdict(key, values["round"], str(values.get("because", ""))))
    return found


def _lines(path: Path, *needed: tuple[str, type]) -> list[dict[str, Any]]:
    lines = read_jsonl(path)
    for number, values in enumerate(lines, start=1):
        for name, kind in needed:
            if not isinstance(values.get(name), kind):
                raise RecordError(f"{path}, line {number}: no {name} ({kind.__name__})")
    return lines


class Audit:
    """The audit of one run folder, seen from the run and from the person's side."""

    def __init__(self, run: Path) -> None:
        self._run = run

    def say(self, verdict: PersonVerdict) -> None:
        """Write a person's verdict, durably."""
        (self._run / "audit").mkdir(exist_ok=True)
        with Journal(self._run / "audit" / "verdicts.jsonl") as journal:
            journal.write(
                {
                    "program_hash": verdict.program_hash,
                    "verdict": "reject" if verdict.rejected else "approve",
                    "because": verdict.because,
                }
            )

    def due(self, round: int) -> tuple[HeededVerdict, ...]:
        """Rejections that count at the start of ``round``, in the order of their hashes.

        New ones do from now on, and this is recorded before it is told.

        Raises:
          RecordError: a line of the audit's files is not what it should be.
        """
        heeded = read_heeded(self._run)
        new = [
            HeededVerdict(key, round, verdict.because)
            for key, verdict in read_verdicts(self._run).items()
            if verdict.rejected and key not in heeded
        ]
        if new:
            with Journal(self._run / "audit" / "heeded.jsonl") as journal:
                for verdict in new:
                    journal.write(verdict)
        known: Sequence[HeededVerdict] = [*heeded.values(), *new]
        return tuple(sorted((v for v in known if v.round <= round), key=lambda v: v.program_hash))
