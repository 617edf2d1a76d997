"""Statistics over a few runs: inter-quartile means and bootstrap intervals (as rliable has them).

The replicate is a whole run (one seed), so a resample draws whole runs: the programs of one run
share their learner and are not independent. Arms are the strata: each keeps its number of runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from scipy import stats

__all__ = ["Interval", "bootstrap", "iqm", "mean", "paired_difference", "t_interval"]

Scores = np.ndarray
Statistic = Callable[[Scores], np.ndarray]


@dataclasses.dataclass(frozen=True)
class Interval:
    """An estimate with its central 95 % interval."""

    value: float
    low: float
    high: float
    runs: int


def iqm(scores: Scores) -> np.ndarray:
    """Inter-quartile mean over the last two axes (runs × programs): float[..., R, P] → float[...].

    The lowest and the highest quarter of the values are left out, values on the edge in part.
    """
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    n = flat.shape[-1]
    # Weight of the i-th value: how much of [i, i+1] lies inside [n/4, 3n/4].
    edges = np.clip(np.arange(n + 1, dtype=np.float64), n / 4, 3 * n / 4)
    return flat @ (np.diff(edges) / (n / 2))


def mean(scores: Scores) -> np.ndarray:
    """Mean over the last two axes (runs × programs)."""
    return scores.mean(axis=(-2, -1))


def bootstrap(
    scores: Scores, statistic: Statistic, *, draws: int = 10_000, seed: int = 0
) -> Interval:
    """Percentile bootstrap over runs of ``statistic(scores)``, ``scores`` being float[R, P]."""
    scores = np.asarray(scores, dtype=np.float64)
    rows = _resamples(len(scores), draws, seed)
    return _interval(float(statistic(scores)), statistic(scores[rows]), len(scores))


def paired_difference(
    left: Scores, right: Scores, statistic: Statistic = mean, *, draws: int = 10_000, seed: int = 0
) -> Interval:
    """``statistic(left) − statistic(right)``, float[R, P] each, row i of both the same seed.

    Both arms are resampled with the same rows, so that what a seed gives to both cancels.
    """
    left, right = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if left.shape != right.shape:
        raise ValueError(f"paired scores differ in shape: {left.shape} and {right.shape}")
    rows = _resamples(len(left), draws, seed)
    value = float(statistic(left) - statistic(right))
    return _interval(value, statistic(left[rows]) - statistic(right[rows]), len(left))


def t_interval(per_run: np.ndarray) -> Interval:
    """Mean of one number a run, float[R], with Student's interval, which is honest about few."""
    per_run = np.asarray(per_run, dtype=np.float64)
    runs, value = len(per_run), float(np.mean(per_run))
    if runs < 2:
        return Interval(value, float("nan"), float("nan"), runs)
    half = float(stats.t.ppf(0.975, runs - 1) * np.std(per_run, ddof=1) / np.sqrt(runs))
    return Interval(value, value - half, value + half, runs)


def _resamples(runs: int, draws: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, runs, size=(draws, runs))


def _interval(value: float, draws: np.ndarray, runs: int) -> Interval:
    if runs < 2:  # one run says nothing about the spread between runs
        return Interval(value, float("nan"), float("nan"), runs)
    low, high = np.quantile(draws, (0.025, 0.975))
    return Interval(value, float(low), float(high), runs)
