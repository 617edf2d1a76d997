"""How good the predictor's numbers were: what it said against what happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from spade_jax.report.run_folder import Run
from spade_jax.types import Reason

__all__ = ["Bin", "Calibration", "calibration"]

_BINS = 5


@dataclasses.dataclass(frozen=True)
class Bin:
    """Predictions between two tenths: their mean, how often it happened, how many they are."""

    predicted: float
    happened: float
    count: int


@dataclasses.dataclass(frozen=True)
class Calibration:
    """Predictions of one kind against what happened.

    Attributes:
      what: "passes the executor", "success rate", "lies in the band".
      count: predictions with an answer.
      error: mean squared error (the Brier score, for events); ``base``: that of always saying the
        mean of these answers, which nobody knew beforehand.
      bins: fifths of the predictions' range, empty ones left out.
    """

    what: str
    count: int
    error: float
    base: float
    bins: tuple[Bin, ...]


def calibration(run: Run) -> tuple[Calibration, ...]:
    """One each for survival, success and band; none for a run without predictions.

    Predictions are made before the answer is known, by what was learned from earlier rounds. Left
    out are candidates without an answer: ended by a clock, or not probed.
    """
    low, high = run.config.get("curator", {}).get("band", (0.3, 0.7))
    verdicts = {c["proposal"]["id"]: c["verdict"] for c in run.candidates}
    pairs: dict[str, list[tuple[float, float]]] = {"survive": [], "success": [], "band": []}
    for line in run.predictions:
        verdict = verdicts.get(line["proposal_id"])
        if verdict is None or verdict["reason"] == Reason.NOT_PROBED:
            continue
        if Reason(verdict["reason"]).depends_on_clock:
            continue
        pairs["survive"].append((line["survive"], float(verdict["ok"])))
        if verdict["ok"] and verdict["episodes"]:
            rate = verdict["successes"] / verdict["episodes"]
            mean = (1 + verdict["successes"]) / (2 + verdict["episodes"])
            pairs["success"].append((line["success"], rate))
            pairs["band"].append((line["band"], float(low <= mean <= high)))
    names = {
        "survive": "passes the executor",
        "success": "success rate",
        "band": "lies in the band",
    }
    return tuple(_measure(names[kind], found) for kind, found in pairs.items() if found)


def _measure(what: str, pairs: Sequence[tuple[float, float]]) -> Calibration:
    said, happened = np.asarray(pairs, np.float64).T
    which = np.clip((said * _BINS).astype(int), 0, _BINS - 1)
    bins = tuple(
        Bin(float(said[which == b].mean()), float(happened[which == b].mean()), int(n))
        for b in range(_BINS)
        if (n := int((which == b).sum()))
    )
    return Calibration(
        what=what,
        count=len(pairs),
        error=float(np.mean((said - happened) ** 2)),
        base=float(np.var(happened)),
        bins=bins,
    )
