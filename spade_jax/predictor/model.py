"""The predictor: what it has seen, what it expects, and whom it would have probed."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spade_jax.predictor.features import NAMES
from spade_jax.predictor.logistic import Logistic, fit
from spade_jax.types import Verdict

__all__ = ["Prediction", "Predictor", "Row", "choose", "row_of"]

RIDGE = 4.0
"""Precision of the prior on a weight: one standard deviation of a number moves the log-odds by a
half or so, unless the rows say otherwise."""

LEAST = 24
"""Probed candidates without which nothing is predicted."""

_MEMORY = 1024
_EXPLORE = 4  # one in so many of the probes goes to a candidate drawn from the others


@dataclasses.dataclass(frozen=True)
class Row:
    """One candidate of the past.

    Attributes:
      features: see ``NAMES``.
      survived: it passed the executor. successes, episodes: of its probe.
      in_band: its success lay in the band of its round.
    """

    features: tuple[float, ...]
    survived: bool
    successes: int
    episodes: int
    in_band: bool


@dataclasses.dataclass(frozen=True)
class Prediction:
    """What is expected of one candidate.

    Attributes:
      survive: probability that it passes what is left of the executor.
      success, low, high: success rate of the policy if it does, with a 95 % interval of the mean.
      band: probability that this lies in the band that is admitted.
    """

    survive: float
    success: float
    low: float
    high: float
    band: float

    @property
    def promise(self) -> float:
        """Probability that it passes everything and lies in the band."""
        return self.survive * self.band


def row_of(features: Sequence[float], verdict: Verdict, band: tuple[float, float]) -> Row:
    """What is learned from a final verdict; a candidate that was not probed teaches nothing."""
    mean = (1 + verdict.successes) / (2 + verdict.episodes)
    return Row(
        features=tuple(features),
        survived=verdict.ok,
        successes=verdict.successes,
        episodes=verdict.episodes,
        in_band=verdict.ok and verdict.episodes > 0 and band[0] <= mean <= band[1],
    )


@dataclasses.dataclass(frozen=True)
class Predictor:
    """Three logistic regressions on the candidates of a run so far: survival, success, band.

    Attributes:
      rows: the last 1024 candidates that reached the stage at which predictions are made.
    """

    rows: tuple[Row, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether enough was probed to say anything."""
        return sum(r.episodes > 0 for r in self.rows) >= LEAST

    def learn(self, rows: Sequence[Row]) -> Predictor:
        """The predictor that has seen these as well."""
        return Predictor((*self.rows, *rows)[-_MEMORY:])

    def predict(self, features: Sequence[Sequence[float]]) -> tuple[Prediction, ...]:
        """One prediction each; none unless ``ready``."""
        if not features or not self.ready:
            return ()
        asked = np.asarray(features, np.float64)
        probed = [r for r in self.rows if r.episodes]
        survive, _, _ = _fit(self.rows, [r.survived for r in self.rows]).predict(asked)
        shares = [r.successes / r.episodes for r in probed]
        success, low, high = _fit(probed, shares).predict(asked)
        band, _, _ = _fit(probed, [r.in_band for r in probed]).predict(asked)
        columns = (survive, success, low, high, band)
        return tuple(Prediction(*map(float, values)) for values in zip(*columns, strict=True))

    def to_state(self) -> dict[str, Any]:
        """JSON values, for the checkpoint."""
        fields = ("survived", "successes", "episodes", "in_band")
        return {
            "names": list(NAMES),
            "rows": [
                [list(r.features), *(int(getattr(r, field)) for field in fields)] for r in self.rows
            ],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Predictor:
        """From ``to_state``; rows of other features than today's are of no use and left out."""
        if tuple(state.get("names", ())) != NAMES:
            return cls()
        return cls(
            tuple(
                Row(tuple(map(float, f)), bool(survived), int(s), int(n), bool(band))
                for f, survived, s, n, band in state["rows"]
            )
        )


def _fit(rows: Sequence[Row], targets: Sequence[float]) -> Logistic:
    features = np.asarray([r.features for r in rows], np.float64)
    return fit(features, np.asarray(targets, np.float64), RIDGE)


def choose(predictions: Mapping[str, Prediction], share: float, seed: int) -> frozenset[str]:
    """Who is probed: at least ``share`` of the candidates (by id), the most promising ones.

    A quarter of the places go to others, drawn by ``seed``: a predictor that only ever saw what it
    likes would never find out where it is wrong.
    """
    places = math.ceil(share * len(predictions))
    drawn = places // _EXPLORE if places < len(predictions) else 0
    ranked = sorted(predictions, key=lambda key: (-predictions[key].promise, key))
    best, rest = ranked[: places - drawn], ranked[places - drawn :]
    rest.sort(key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())
    return frozenset([*best, *rest[:drawn]])
