"""What a run's candidates came to: the funnel, and how much of what was admitted is new."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spade_jax.report.run_folder import Run
from spade_jax.types import PoolEventKind

__all__ = [
    "ADMITTED",
    "PARAMETER_MOVE",
    "Novelty",
    "difficulties",
    "entries",
    "funnel",
    "novelty",
    "pool_at_end",
]

ADMITTED = "admitted"
"""Name of the admitted candidates in a funnel; every other name is a reason code."""

PARAMETER_MOVE = "parameters"
"""Operator whose candidates differ from their parent in parameter values only."""


@dataclasses.dataclass(frozen=True)
class Novelty:
    """How new the admitted programs are.

    Attributes:
      proposed: candidates in all. admitted: admitted ones, bundled seeds not counted.
      parameter_moves: admitted ones that only moved parameters: counted apart, not below.
      skeletons: distinct skeletons among the rest that no seed has.
      distinct: those of the rest that are behaviour-distinct from every seed and one another.
      skills: the skill tags of the programs of ``distinct``.
      relabelled: of ``admitted``, those whose tags are not the skills they declare, but those that
        their play verified; None for a run that did not count them.
    """

    proposed: int
    admitted: int
    parameter_moves: int
    skeletons: int
    distinct: int
    skills: tuple[str, ...]
    relabelled: int | None = None


def funnel(candidates: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Candidates counted by what became of them: ``admitted`` or the reason they ended."""
    return dict(Counter(ADMITTED if c["admitted"] else str(c["reason"]) for c in candidates))


def entries(run: Run) -> dict[str, Mapping[str, Any]]:
    """Every program that was ever in the pool, as it was when it first came in, by hash."""
    found: dict[str, Mapping[str, Any]] = {}
    for change in run.pool_changes:
        if change.program is not None:
            found.setdefault(change.program_hash, change.program)
    return found


def novelty(run: Run) -> Novelty:
    """Count what is new among the programs that were admitted."""
    every = entries(run).values()
    seeds = [entry for entry in every if entry["seed"]]
    admitted = [entry for entry in every if not entry["seed"]]
    rest = [entry for entry in admitted if entry["operator"] != PARAMETER_MOVE]
    skeletons = {e["skeleton_hash"] for e in rest} - {e["skeleton_hash"] for e in seeds}
    known = {entry["behaviour_hash"] for entry in seeds}
    distinct = {e["behaviour_hash"]: e for e in reversed(rest) if e["behaviour_hash"] not in known}
    counted = [int(line["relabelled"]) for line in run.rounds if "relabelled" in line]
    skills = {skill for entry in distinct.values() for skill in entry["skills"]}
    return Novelty(
        proposed=len(run.candidates),
        admitted=len(admitted),
        parameter_moves=len(admitted) - len(rest),
        skeletons=len(skeletons),
        distinct=len(distinct),
        skills=tuple(sorted(skills)),
        relabelled=sum(counted) if counted else None,
    )


def difficulties(run: Run, program_hash: str) -> dict[int, float]:
    """A program's difficulty in training after each round; empty where it was not adaptive."""
    recorded = {int(line["round"]): line.get("difficulties", {}) for line in run.rounds}
    return {n: float(d[program_hash]) for n, d in recorded.items() if program_hash in d}


def pool_at_end(run: Run) -> list[str]:
    """Program hashes in the pool after the last recorded change, in the order they came in."""
    pool: dict[str, None] = {}
    for change in run.pool_changes:
        if change.change in (PoolEventKind.ADMIT, PoolEventKind.RESTORE):
            pool[change.program_hash] = None
        else:
            pool.pop(change.program_hash, None)
    return list(pool)
