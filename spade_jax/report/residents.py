"""How a run's hand-written environments were played in training."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from spade_jax.report.run_folder import Run

__all__ = ["Residency", "residents"]


@dataclasses.dataclass(frozen=True)
class Residency:
    """One resident over the run; of episodes that ended in training, so short ones are too many.

    Attributes:
      name: "module:Class". program_hash: of it and its module's text.
      steps, episodes: in all.
      success: share of the episodes of each round that were successes, by round, 0-1; rounds in
        which none ended are left out.
      returns: mean return of those episodes, likewise.
      unhealthy: iterations in which it gave something not finite, which did not count.
    """

    name: str
    program_hash: str
    steps: int
    episodes: int
    success: Mapping[int, float]
    returns: Mapping[int, float]
    unhealthy: int


def residents(run: Run) -> tuple[Residency, ...]:
    """In the order of the slots; none for a run without."""
    lines: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for line in run.iterations:
        for name, slot in line.get("residents", {}).items():
            lines.setdefault(name, []).append((int(line["round"]), slot))
    return tuple(_residency(name, found) for name, found in lines.items())


def _residency(name: str, lines: Sequence[tuple[int, Mapping[str, Any]]]) -> Residency:
    rounds: dict[int, list[Mapping[str, Any]]] = {}
    for round, slot in lines:
        if slot["episodes"]:
            rounds.setdefault(round, []).append(slot)

    def mean(total: Mapping[int, float]) -> dict[int, float]:
        return {n: total[n] / sum(s["episodes"] for s in slots) for n, slots in rounds.items()}

    return Residency(
        name=name,
        program_hash=lines[-1][1]["program_hash"],
        steps=sum(slot["steps"] for _, slot in lines),
        episodes=sum(slot["episodes"] for _, slot in lines),
        success=mean({n: sum(s["successes"] for s in slots) for n, slots in rounds.items()}),
        returns=mean(
            {n: sum(s["mean_return"] * s["episodes"] for s in slots) for n, slots in rounds.items()}
        ),
        unhealthy=sum(not slot["healthy"] for _, slot in lines),
    )
