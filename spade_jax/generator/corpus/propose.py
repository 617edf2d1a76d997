"""The generator ``corpus``: what fits the learner now, out of what has been written already."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spade_jax.generator.corpus.collection import Entry, entries
from spade_jax.generator.corpus.variants import DECLARED, at_difficulty
from spade_jax.generator.parents import weakness
from spade_jax.types import Context, Outcome, Proposal

__all__ = ["Corpus"]

_NEIGHBOURS = 3
_SHARP = 3  # how much better a program must fit to be picked much more often
_LEAST = 0.05  # of a program that is surely out of the band: what is known of it may be old
_EDGE = 0.02  # success rates nearer to 0 or 1 than this are not told apart
_FADE = 0.9  # of what earlier outcomes said about the learner, for each newer one


class Corpus:
    """Proposes programs of the bundled collection (protocol ``spade_jax.types.Generator``).

    A program is picked the more often the nearer the learner's expected success on it is to the
    target, the weaker the learner is in its skills, and the less it plays like the pool and like
    what was picked before it. It is proposed at the difficulty, of those that were probed, at which
    that success is nearest to the target. None is ever proposed twice.

    Expected success is what the receipt's probe found, moved (in log-odds) by how much the learner
    has since done better or worse than the receipts of earlier proposals said.

    Args:
      collection: programs to choose from; the bundled ones by default.
    """

    name = "corpus"

    def __init__(self, collection: Sequence[Entry] | None = None):
        self._entries = tuple(entries() if collection is None else collection)
        self._given: dict[str, None] = {}  # program hashes, in order of proposal
        self._gap = 0.0  # weighted sum of log-odds found less those of the receipts
        self._weight = 0.0

    def propose(self, context: Context, n: int) -> tuple[Proposal, ...]:
        """At most ``n`` programs; fewer once the collection is used up."""
        taken = context.taken.union(self._given)
        left = [e for e in self._entries if e.program_hash not in taken]
        worth = np.array([self._worth(e, context) for e in left])
        gaps = _Gaps([e.features for e in left], [v.features for v in context.pool])
        key = [context.seed & 0xFFFFFFFFFFFFFFFF, context.round]
        rng = np.random.Generator(np.random.Philox(key=np.array(key, np.uint64)))
        picked: list[int] = []
        for _ in range(min(n, len(left))):
            weights = (worth * (1.0 + gaps.lonely())) ** _SHARP
            weights[picked] = 0.0
            index = int(rng.choice(len(left), p=weights / weights.sum()))
            picked.append(index)
            gaps.add(left[index].features)
        return tuple(self._proposal(left[i], context, k) for k, i in enumerate(picked))

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """What was proposed, and how the learner's success differs from the receipts."""
        known = {e.program_hash: e for e in self._entries}
        for outcome in outcomes:
            entry = known.get(str(outcome.proposal.receipt.get("program")))
            if outcome.proposal.generator != self.name or entry is None:
                continue
            self._given[entry.program_hash] = None
            verdict = outcome.verdict
            told = dict(entry.rates).get(outcome.proposal.receipt.get("difficulty", DECLARED))
            if verdict.episodes and told is not None:
                found = (verdict.successes + 0.5) / (verdict.episodes + 1.0)
                self._gap = _FADE * self._gap + _log_odds(found) - _log_odds(told)
                self._weight = _FADE * self._weight + 1.0

    def state_dict(self) -> dict[str, Any]:
        """Everything learned, as JSON values."""
        return {"given": list(self._given), "gap": self._gap, "weight": self._weight}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` gave. Raises KeyError if a part is missing."""
        self._given = dict.fromkeys(state["given"])
        self._gap, self._weight = float(state["gap"]), float(state["weight"])

    def expected(self, entry: Entry, difficulty: float = DECLARED) -> float:
        """The success that the learner is expected to have on a program, in (0, 1).

        Raises:
          KeyError: it was not probed at that difficulty, or does not pass there.
        """
        # As if one outcome more had been as the receipts say: a single one moves it half way.
        told = dict(entry.rates)[difficulty]
        moved = _log_odds(told) + self._gap / (self._weight + 1.0)
        return 1.0 / (1.0 + math.exp(-moved))

    def _best(self, entry: Entry, target: float) -> tuple[float, float]:
        """How apt a program is at the difficulty that suits best, in [0, 1], and which that is.

        Of equals the one nearest to what was written.
        """

        def apt(difficulty: float) -> float:
            p = self.expected(entry, difficulty)
            return p / target if p <= target else (1.0 - p) / (1.0 - target)

        found = [(apt(d), -abs(d - DECLARED), d) for d, _ in entry.rates]
        best = max(found)
        return best[0], best[2]

    def _worth(self, entry: Entry, context: Context) -> float:
        apt, _ = self._best(entry, context.target)
        return (_LEAST + apt) * (1.0 + weakness(entry.view(), context.profile))

    def _proposal(self, entry: Entry, context: Context, index: int) -> Proposal:
        kept = ("name", "theme", "program", "model", "prompt", "written")
        _, difficulty = self._best(entry, context.target)
        return Proposal(
            id=f"r{context.round}-{index}",
            source=at_difficulty(entry.source, difficulty),
            generator=self.name,
            operator="written",
            round=context.round,
            receipt={
                **{k: entry.receipt[k] for k in kept if k in entry.receipt},
                "difficulty": difficulty,
                "expected": round(self.expected(entry, difficulty), 4),
            },
        )


def _log_odds(p: float) -> float:
    p = min(max(p, _EDGE), 1.0 - _EDGE)
    return math.log(p / (1.0 - p))


class _Gaps:
    """Behaviour distances of some programs to a growing set of others."""

    def __init__(
        self, features: Sequence[Sequence[float]], others: Sequence[Sequence[float]]
    ) -> None:
        length = len(features[0]) if features else 0
        self._features = np.asarray(features, np.float64).reshape(len(features), length)
        self._others: list[NDArray[np.float64]] = []
        for other in others:
            self.add(other)

    def add(self, other: Sequence[float]) -> None:
        """One more to be apart from; descriptors of another length say nothing."""
        if self._features.shape[1] and len(other) == self._features.shape[1]:
            gap = self._features - np.asarray(other, np.float64)
            self._others.append(np.sqrt(np.mean(gap * gap, axis=1)))

    def lonely(self) -> NDArray[np.float64]:
        """float64[n] in [0, 1]: mean distance to the nearest three, relative to the loneliest."""
        if not self._others:
            return np.ones(len(self._features))
        near = np.sort(np.stack(self._others), axis=0)[:_NEIGHBOURS].mean(axis=0)
        most = near.max(initial=0.0)
        return near / most if most > 0 else np.ones(len(near))
