"""What to try next, by what came of it before: Beta bandits over named choices.

A proposal is made of several choices (which source, operator, theme, example); each kind of choice
has a bandit of its own, and all of them learn from the same worth of the proposal's outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from spade_jax.types import Outcome, Reason

__all__ = ["Arms", "Bandit", "OperatorBandit", "choices_of", "examined", "reward"]

# Passing every stage of the executor is worth something even where the curator says no: admissions
# are too rare to learn from alone in a short run.
_PASSED = 0.25


def examined(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those that say something of a program: not what the predictor left out."""
    return [o for o in outcomes if o.verdict.reason is not Reason.NOT_PROBED]


def reward(outcome: Outcome) -> float:
    """Worth of a proposal, in [0, 1]: gate · (learnability + novelty) / 2.

    The gate is 1 for an admitted program, 0.25 for one that only passed the executor, else 0.
    Learnability is 4p(1−p) of the probe's success (0 without a probe), novelty the diversity that
    the curator measured against the pool (0 where it did not).
    """
    gate = _gate(outcome)
    verdict = outcome.verdict
    success = verdict.successes / verdict.episodes if verdict.episodes else 0.0
    return gate * (4.0 * success * (1.0 - success) + (outcome.novelty or 0.0)) / 2.0


def _gate(outcome: Outcome) -> float:
    return 1.0 if outcome.admitted else _PASSED if outcome.verdict.ok else 0.0


class Arms:
    """Thompson sampling over the names of one kind of choice; JSON state.

    Each name has Beta(1 + credit, 1 + blame). Counts fade by ``fade`` a round, since what the pool
    needs changes as the learner does, and every name keeps its part of ``floor`` of the choices.
    """

    def __init__(self, fade: float = 0.95, floor: float = 0.2):
        self.fade = fade
        self.floor = floor
        self.counts: dict[str, tuple[float, float]] = {}

    def choose(self, names: Sequence[str], rng: np.random.Generator) -> str:
        """One of ``names`` (at least one). Draws from ``rng`` only; the counts do not change."""
        if rng.random() < self.floor:
            return names[int(rng.integers(len(names)))]
        draws = [rng.beta(1 + a, 1 + b) for a, b in (self.counts.get(n, (0, 0)) for n in names)]
        return names[int(np.argmax(draws))]

    def learn(self, results: Iterable[tuple[Sequence[str], float]]) -> None:
        """Credit the names behind each result with its worth in [0, 1] (one round's results)."""
        self.counts = {n: (a * self.fade, b * self.fade) for n, (a, b) in self.counts.items()}
        for names, worth in results:
            for name in sorted(set(names)):
                credit, blame = self.counts.get(name, (0.0, 0.0))
                self.counts[name] = (credit + worth, blame + 1.0 - worth)

    def mean(self, name: str) -> float:
        """Posterior mean worth of a name; 0.5 for one never tried."""
        credit, blame = self.counts.get(name, (0.0, 0.0))
        return (1.0 + credit) / (2.0 + credit + blame)

    def state_dict(self) -> dict[str, list[float]]:
        """Counts by name, as JSON values."""
        return {name: list(pair) for name, pair in sorted(self.counts.items())}

    def load_state_dict(self, state: Mapping[str, Sequence[float]]) -> None:
        """Take over what ``state_dict`` gave."""
        self.counts = {name: (float(a), float(b)) for name, (a, b) in state.items()}


class OperatorBandit(Arms):
    """``Arms`` for the operators of ``evolve``: only whether a child got in counts."""

    def observe(self, results: Sequence[tuple[Sequence[str], Outcome]]) -> None:
        """Credit the operators of each proposal with what became of it (one round's worth)."""
        self.learn([(operators, _gate(outcome)) for operators, outcome in results])


class Bandit:
    """``Arms`` for every kind of choice: "source", "operator", "theme", "few_shot", …

    Args:
      fade, floor: see ``Arms``.
    """

    def __init__(self, fade: float = 0.95, floor: float = 0.2):
        self.fade = fade
        self.floor = floor
        self.arms: dict[str, Arms] = {}

    def choose(self, kind: str, names: Sequence[str], rng: np.random.Generator) -> str:
        """One of ``names`` (at least one), by what is known of that kind of choice."""
        return (self.arms.get(kind) or self._new()).choose(names, rng)

    def learn(self, results: Sequence[tuple[Mapping[str, Sequence[str]], float]]) -> None:
        """Take in one round: (names by kind of choice, worth in [0, 1]) of each proposal."""
        for kind in sorted({*self.arms, *(kind for choices, _ in results for kind in choices)}):
            arms = self.arms.setdefault(kind, self._new())
            arms.learn([(choices[kind], worth) for choices, worth in results if kind in choices])

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """``learn`` from the choices on the outcomes' receipts and their ``reward``."""
        self.learn([(choices_of(o.proposal.receipt), reward(o)) for o in examined(outcomes)])

    def state_dict(self) -> dict[str, dict[str, list[float]]]:
        """Counts by kind and name, as JSON values."""
        return {kind: arms.state_dict() for kind, arms in sorted(self.arms.items())}

    def load_state_dict(self, state: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Take over what ``state_dict`` gave."""
        self.arms = {}
        for kind, counts in state.items():
            self.arms[kind] = self._new()
            self.arms[kind].load_state_dict(counts)

    def _new(self) -> Arms:
        return Arms(self.fade, self.floor)


def choices_of(receipt: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Names by kind of choice, as a proposal's receipt has them under ``choices``.

    There a choice is one name or a list of names; anything else is left out.
    """
    choices = receipt.get("choices")
    found: dict[str, tuple[str, ...]] = {}
    for kind, names in choices.items() if isinstance(choices, Mapping) else ():
        names = [names] if isinstance(names, str) else names
        if isinstance(names, list | tuple) and all(isinstance(n, str) for n in names) and names:
            found[str(kind)] = tuple(names)
    return found
