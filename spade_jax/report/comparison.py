"""Runs set beside one another: final held-out success by arm, by family, and against untrained."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from spade_jax.errors import UserError
from spade_jax.report import stats
from spade_jax.report.run_folder import HeldOut, Run

__all__ = ["Arm", "Comparison", "Difference", "compare", "to_document"]

STEP_TOLERANCE = 0.02
"""Arms whose environment steps differ by more than this share are not at equal budget."""


@dataclasses.dataclass(frozen=True)
class Arm:
    """One arm over its runs.

    Attributes:
      name: "coevo", "fixed", … seeds: of its runs. env_steps: mean spent a run.
      iqm, mean: final held-out success over runs × programs.
      families: final success of each held-out program over the runs.
      improvement: final minus untrained, mean over programs; None without untrained measurements.
      improvement_t: the same with Student's interval.
      worst: the family with the lowest mean.
    """

    name: str
    seeds: tuple[int, ...]
    env_steps: float
    iqm: stats.Interval
    mean: stats.Interval
    families: dict[str, stats.Interval]
    improvement: stats.Interval | None
    improvement_t: stats.Interval | None
    worst: str


@dataclasses.dataclass(frozen=True)
class Difference:
    """``left`` minus ``right``, final mean success, paired by seed."""

    left: str
    right: str
    seeds: tuple[int, ...]
    mean: stats.Interval
    iqm: stats.Interval


@dataclasses.dataclass(frozen=True)
class Comparison:
    arms: tuple[Arm, ...]
    differences: tuple[Difference, ...]
    families: tuple[str, ...]
    warnings: tuple[str, ...]


def compare(runs: Sequence[Run]) -> Comparison:
    """Group runs by arm and compare them.

    Raises:
      UserError: a run has no held-out measurement, or runs were measured on different programs.
    """
    families = _families(runs)
    by_arm: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_arm[run.arm].append(run)
    for arm, members in by_arm.items():
        members.sort(key=lambda run: run.seed)
        twice = {r.seed for r in members if sum(s.seed == r.seed for s in members) > 1}
        if twice:
            raise UserError(f"two runs of arm {arm!r} have seed {min(twice)}; give one of them")
    arms = [_arm(name, members, families) for name, members in sorted(by_arm.items())]
    names = sorted(by_arm)
    differences = [
        difference
        for i, left in enumerate(names)
        for right in names[i + 1 :]
        if (difference := _difference(by_arm[left], by_arm[right], families)) is not None
    ]
    return Comparison(tuple(arms), tuple(differences), families, tuple(_warnings(by_arm)))


def _families(runs: Sequence[Run]) -> tuple[str, ...]:
    if not runs:
        raise UserError("no runs to compare")
    for run in runs:
        if run.final is None:
            raise UserError(f"{run.path} has no held-out measurement yet")
    first = _final(runs[0])
    for run in runs[1:]:
        if set(_final(run).programs) != set(first.programs):
            raise UserError(f"{run.path} and {runs[0].path} were measured on different programs")
    return tuple(sorted(first.programs))


def _final(run: Run) -> HeldOut:
    assert run.final is not None  # _families refuses such runs
    return run.final


def _scores(runs: Sequence[Run], families: Sequence[str]) -> np.ndarray:
    return np.array([[_final(run).programs[f] for f in families] for run in runs])


def _arm(name: str, runs: Sequence[Run], families: tuple[str, ...]) -> Arm:
    scores = _scores(runs, families)
    improvement = improvement_t = None
    start = [run.untrained for run in runs]
    if all(start):
        before = np.array([[m.programs[f] for f in families] for m in start if m is not None])
        improvement = stats.paired_difference(scores, before)
        improvement_t = stats.t_interval((scores - before).mean(axis=1))
    by_family = {
        family: stats.bootstrap(scores[:, i : i + 1], stats.mean)
        for i, family in enumerate(families)
    }
    return Arm(
        name=name,
        seeds=tuple(run.seed for run in runs),
        env_steps=float(np.mean([run.env_steps for run in runs])),
        iqm=stats.bootstrap(scores, stats.iqm),
        mean=stats.bootstrap(scores, stats.mean),
        families=by_family,
        improvement=improvement,
        improvement_t=improvement_t,
        worst=min(families, key=lambda family: by_family[family].value),
    )


def _difference(
    left: Sequence[Run], right: Sequence[Run], families: Sequence[str]
) -> Difference | None:
    seeds = sorted({run.seed for run in left} & {run.seed for run in right})
    if not seeds:
        return None
    a = _scores([run for run in left if run.seed in seeds], families)
    b = _scores([run for run in right if run.seed in seeds], families)
    return Difference(
        left[0].arm,
        right[0].arm,
        tuple(seeds),
        mean=stats.paired_difference(a, b, stats.mean),
        iqm=stats.paired_difference(a, b, stats.iqm),
    )


def _warnings(by_arm: dict[str, list[Run]]) -> list[str]:
    found: list[str] = []
    steps = {name: float(np.mean([r.env_steps for r in runs])) for name, runs in by_arm.items()}
    low, high = min(steps.values()), max(steps.values())
    if high > low * (1 + STEP_TOLERANCE):
        listed = ", ".join(f"{name} {value:,.0f}" for name, value in steps.items())
        found.append(f"the arms did not spend the same number of environment steps: {listed}")
    counts = {name: len(runs) for name, runs in by_arm.items()}
    if min(counts.values()) < 3:
        found.append("fewer than three runs in an arm: the intervals say little")
    missing = [run.path.name for runs in by_arm.values() for run in runs if run.untrained is None]
    if missing:
        found.append(f"not measured before training: {', '.join(missing)}")
    return found


def to_document(comparison: Comparison, runs: Sequence[Run]) -> dict[str, Any]:
    """The comparison and the raw numbers under it, as JSON values (no NaN: null)."""
    raw = [
        {
            "run": run.path.name,
            "arm": run.arm,
            "seed": run.seed,
            "env_steps": run.env_steps,
            "heldout": [dataclasses.asdict(measurement) for measurement in run.heldout],
        }
        for run in runs
    ]
    document = {**dataclasses.asdict(comparison), "runs": raw}
    return _without_nan(document)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(v) for v in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    return value
