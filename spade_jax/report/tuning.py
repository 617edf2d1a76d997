"""Frozen beside learned: pass rates on fresh proposals, round by round, over several seeds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from spade_jax.report.stats import t_interval

__all__ = ["METRICS", "Row", "curves"]

METRICS = ("checks", "smoke", "gates", "distinct")


@dataclasses.dataclass(frozen=True)
class Row:
    """One round of one arm of one seed; counts of proposals.

    Attributes:
      seed, arm ("frozen", "learned"), round: which; rounds from 1.
      asked: proposals that were wanted. checks: of those, that are programs; smoke, gates: that
        passed, copies of one another or of the pool's left out.
      distinct: that passed and behave like nothing in the pool or that passed earlier in the arm.
      examples: programs that the model was tuned on, 0 as it came.
      revisions: of the weights that answered. reasons: why the others did not pass.
    """

    seed: int
    arm: str
    round: int
    asked: int
    checks: int
    smoke: int
    gates: int
    distinct: int
    examples: int = 0
    revisions: tuple[str, ...] = ()
    reasons: Mapping[str, int] = dataclasses.field(default_factory=dict)


def curves(rows: Sequence[Row]) -> dict[str, Any]:
    """For each of ``METRICS``: shares by arm and round, and what learning changed; JSON values.

    Both arms are asked for the same, so differences are taken seed by seed. A pooled share has the
    Wilson interval of its proposals; a difference Student's of the seeds, which is honest about few
    (and not there for one). ``after``: all rounds with something learned taken together.
    """
    return {metric: _curve(metric, rows) for metric in METRICS}


def _curve(metric: str, rows: Sequence[Row]) -> dict[str, Any]:
    rounds = sorted({r.round for r in rows})
    told: dict[str, Any] = {
        arm: [_share(metric, [r for r in rows if r.arm == arm and r.round == n]) for n in rounds]
        for arm in ("frozen", "learned")
    }
    told["rounds"] = rounds
    told["difference"] = [_difference(metric, rows, [n]) for n in rounds]
    tuned = sorted({r.round for r in rows if r.examples})
    told["after"] = _difference(metric, rows, tuned) if tuned else None
    return told


def _share(metric: str, rows: Sequence[Row]) -> dict[str, Any]:
    hits, of = sum(getattr(r, metric) for r in rows), sum(r.asked for r in rows)
    found = stats.binomtest(hits, of).proportion_ci(method="wilson")
    return {
        "hits": hits,
        "of": of,
        "share": round(hits / of, 4),
        "low": round(float(found.low), 4),
        "high": round(float(found.high), 4),
        "by_seed": {str(r.seed): round(getattr(r, metric) / r.asked, 4) for r in rows},
    }


def _difference(metric: str, rows: Sequence[Row], rounds: Sequence[int]) -> dict[str, Any]:
    """Learned less frozen in these rounds, seed by seed."""
    gaps = []
    for seed in sorted({r.seed for r in rows}):
        shares = []
        for arm in ("learned", "frozen"):
            mine = [r for r in rows if (r.seed, r.arm) == (seed, arm) and r.round in rounds]
            shares.append(sum(getattr(r, metric) for r in mine) / sum(r.asked for r in mine))
        gaps.append(shares[0] - shares[1])
    found = t_interval(np.array(gaps))
    known = len(gaps) > 1
    return {
        "value": round(found.value, 4),
        "low": round(found.low, 4) if known else None,
        "high": round(found.high, 4) if known else None,
        "seeds": len(gaps),
    }
