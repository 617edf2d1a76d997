"""What the bandits chose, round by round, and what came of it."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from spade_jax.generator.bandit import choices_of, reward
from spade_jax.report.run_folder import Run
from spade_jax.types import Outcome, from_json

__all__ = ["Choice", "choices"]


@dataclasses.dataclass(frozen=True)
class Choice:
    """One name of one kind of choice.

    Attributes:
      kind: "source", "operator", "theme", … name: what was chosen.
      by_round: round → proposals made with it. passed: those that passed the executor.
      admitted: those that were admitted. reward: mean (see ``generator.bandit.reward``).
    """

    kind: str
    name: str
    by_round: Mapping[int, int]
    passed: int
    admitted: int
    reward: float

    @property
    def proposals(self) -> int:
        return sum(self.by_round.values())


def choices(run: Run) -> dict[str, list[Choice]]:
    """By kind, the most used first. Of a generator without a bandit too: who made what, and how."""
    made: dict[tuple[str, str], list[tuple[int, Outcome]]] = defaultdict(list)
    for line in run.candidates:
        values = {k: v for k, v in line.items() if k not in ("kind", "round")}
        outcome = from_json(Outcome, values)
        for kind, names in _kinds(line["proposal"]).items():
            for name in dict.fromkeys(names):
                made[kind, name].append((outcome.proposal.round, outcome))
    found: dict[str, list[Choice]] = defaultdict(list)
    for (kind, name), results in made.items():
        found[kind].append(
            Choice(
                kind=kind,
                name=name,
                by_round=dict(sorted(Counter(round for round, _ in results).items())),
                passed=sum(o.verdict.ok for _, o in results),
                admitted=sum(o.admitted for _, o in results),
                reward=sum(reward(o) for _, o in results) / len(results),
            )
        )
    order = sorted(found, key=lambda kind: (kind not in ("source", "operator"), kind != "source"))
    return {kind: sorted(found[kind], key=lambda c: (-c.proposals, c.name)) for kind in order}


def _kinds(proposal: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    own = {
        "source": (str(proposal["generator"]),),
        "operator": tuple(filter(None, str(proposal["operator"]).split("+"))),
    }
    receipt = proposal.get("receipt")
    return {k: v for k, v in own.items() if v} | choices_of(receipt or {})
