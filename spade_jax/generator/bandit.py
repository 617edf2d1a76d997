"""Which operator to try next: a Beta bandit over what became of earlier proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spade_jax.types import Outcome

__all__ = ["OperatorBandit"]

# Passing every stage of the executor is worth something even where the curator says no: admissions
# are too rare to learn from alone in a short run.
_PASSED = 0.25


class OperatorBandit:
    """Thompson sampling over named operators; JSON state.

    Each operator has Beta(1 + credit, 1 + blame). Counts fade by ``fade`` a round, since what the
    pool needs changes as the learner does, and every operator keeps ``floor`` of the choices.
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

    def observe(self, results: Sequence[tuple[Sequence[str], Outcome]]) -> None:
        """Credit the operators of each proposal with what became of it (one round's worth)."""
        self.counts = {n: (a * self.fade, b * self.fade) for n, (a, b) in self.counts.items()}
        for operators, outcome in results:
            worth = 1.0 if outcome.admitted else _PASSED if outcome.verdict.ok else 0.0
            for name in sorted(set(operators)):
                credit, blame = self.counts.get(name, (0.0, 0.0))
                self.counts[name] = (credit + worth, blame + 1.0 - worth)

    def state_dict(self) -> dict[str, list[float]]:
        """Counts by operator, as JSON values."""
        return {name: list(pair) for name, pair in sorted(self.counts.items())}

    def load_state_dict(self, state: Mapping[str, Sequence[float]]) -> None:
        """Take over what ``state_dict`` gave."""
        self.counts = {name: (float(a), float(b)) for name, (a, b) in state.items()}
