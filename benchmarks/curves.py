"""Learning curves of the learner's update beside those of a plain one.

    python -m benchmarks.curves [--programs key_door camp lights] [--iterations 60] [--seeds 5]

``plain_update`` is the same PPO written for reading. Both train each program from the same
parameters on the same levels, seed by seed; only the update differs (and with it the order of the
rows, so that two runs part after a few minibatches). Final success is that of the episodes that
ended in the last fifth of the training.

The difference of final success is paired by seed: its mean, Student's t interval and p of the
paired t test. The bar: of the simultaneous 95 % intervals (Bonferroni) none leaves 0 out. An
interval says how large a difference could have gone unseen.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks import command
from benchmarks.plain_update import plain_update
from benchmarks.programs import pick
from benchmarks.report import Plot, Report, at_most
from spade_jax.learner import Layout, Learner, LearnerConfig, LearnerState

__all__ = ["main", "mean_and_interval", "measure", "paired"]

PROGRAMS = ("key_door", "camp", "lights")
CONFIG = LearnerConfig(slots=4, cohort_size=4, minibatches=8)  # minibatches as large as by default
_TINY = LearnerConfig(
    slots=2, copies=4, cohort_size=2, rollout_length=8, hidden=16, epochs=1, minibatches=2
)
POINTS = 20
"""Points of a curve: each is the success of the episodes of several iterations."""

Train = Callable[[LearnerState, Layout], tuple[LearnerState, int, int]]
"""One iteration: (state, layout) -> (state, episodes that ended, won)."""


def mean_and_interval(values: NDArray[Any], share: float = 0.95) -> tuple[Any, Any, Any]:
    """Mean over the first axis and both ends of Student's t interval for it, each [...]."""
    mean = values.mean(axis=0)
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else mean * np.nan
    reach = error * stats.t.ppf(0.5 + share / 2, max(len(values) - 1, 1))
    return mean, mean - reach, mean + reach


def paired(ours: NDArray[Any], plain: NDArray[Any], comparisons: int) -> dict[str, Any]:
    """The difference of final success, paired by seed; the interval holds for all comparisons."""
    difference = ours - plain
    mean, low, high = mean_and_interval(difference, 1.0 - 0.05 / comparisons)
    if np.ptp(difference) == 0.0:  # no spread, no test: all seeds alike
        low = high = mean
    chance = stats.ttest_rel(ours, plain).pvalue if low < high else float(mean == 0.0)
    return {"difference": mean, "low": low, "high": high, "p": chance}


def measure(
    names: Sequence[str] = PROGRAMS,
    config: LearnerConfig = CONFIG,
    *,
    iterations: int = 60,
    seeds: int = 5,
    tiny: bool = False,
) -> Report:
    """Train with both updates and compare; ``names``: seed programs."""
    learner = Learner(config)
    sides: dict[str, Train] = {"learner": _ours(learner), "plain": _plain(learner)}
    tables: dict[str, list[dict[str, Any]]] = {"difference of final success": []}
    plots = []
    points = min(POINTS, iterations)
    for name, program in zip(names, pick(names), strict=True):
        layout = learner.arrange([program])
        learner.prepare(layout)
        rows, final = [], {}
        for side, train in sides.items():
            command.progress(f"{name}, {side}")
            curves, lasts = [], []
            for seed in range(seeds):
                counts, steps = _train(learner, layout, train, seed, iterations)
                curves.append([_rate(part) for part in np.array_split(counts, points)])
                lasts.append(_rate(counts[-max(1, iterations // 5) :]))
            mean, low, high = mean_and_interval(np.asarray(curves))
            final[side] = np.asarray(lasts)
            ends = np.asarray([part[-1] for part in np.array_split(steps, points)])
            rows.append(
                {
                    "update": side,
                    "final success": float(final[side].mean()),
                    "worst seed": float(final[side].min()),
                    "best seed": float(final[side].max()),
                    "steps": ends.tolist(),
                    "success": mean.tolist(),
                    "low": np.clip(low, 0.0, 1.0).tolist(),
                    "high": np.clip(high, 0.0, 1.0).tolist(),
                }
            )
        tables[f"training on {name}"] = rows
        test = paired(final["learner"], final["plain"], len(names))
        row = {"program": name, **{key: float(value) for key, value in test.items()}}
        tables["difference of final success"].append(row)
        title = f"{name}: success in training, mean and 95 % interval of {seeds} seeds"
        table = f"training on {name}"
        plots.append(Plot(title, table, "steps", "success", by="update", band=("low", "high")))
    differ = [r for r in tables["difference of final success"] if not r["low"] <= 0.0 <= r["high"]]
    return Report(
        benchmark="curves",
        settings={"iterations": iterations, "seeds": seeds, **dataclasses.asdict(config)},
        tables=tables,
        bars=[at_most("programs learnt otherwise than with the plain update", len(differ), 0, "")],
        notes=("low and high: the interval holds for all programs at once, with 95 %",),
        tiny=tiny,
        plots=plots,
    )


def _ours(learner: Learner) -> Train:
    def train(state: LearnerState, layout: Layout) -> tuple[LearnerState, int, int]:
        state, metrics = learner.train_iteration(state, layout)
        return state, *(
            sum(getattr(slot, what) for slot in metrics.slots) for what in ("episodes", "successes")
        )

    return train


def _plain(learner: Learner) -> Train:
    update = jax.jit(plain_update(learner.config))

    def train(state: LearnerState, layout: Layout) -> tuple[LearnerState, int, int]:
        carries, collected = learner.collect(state, layout)
        key = np.asarray([*state.root[:1], state.iteration], np.uint32)
        params, opt_state = update(
            *(state.params, state.opt_state, tuple(c.steps for c in collected)),
            *(tuple(c.last_value for c in collected), key),
        )
        after = state._replace(
            params=params,
            opt_state=opt_state,
            iteration=state.iteration + 1,
            env_steps=state.env_steps + sum(int(c.steps.valid.sum()) for c in collected),
            carries=carries,
        )
        ended = [np.asarray(c.episodes.ended) for c in collected]
        won = [np.asarray(c.episodes.success)[e] for c, e in zip(collected, ended, strict=True)]
        return after, sum(int(e.sum()) for e in ended), sum(int(w.sum()) for w in won)

    return train


def _train(
    learner: Learner, layout: Layout, train: Train, seed: int, iterations: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Episodes ended and won int64[iterations, 2], and steps done so far int64[iterations]."""
    state = learner.init(seed, layout)
    counts, steps = [], []
    for _ in range(iterations):
        state, ended, won = train(state, layout)
        counts.append((ended, won))
        steps.append(int(state.env_steps))
    return np.asarray(counts, np.int64), np.asarray(steps, np.int64)


def _rate(counts: NDArray[np.int64]) -> float:
    ended, won = counts.sum(axis=0)
    return float(won / ended) if ended else 0.0


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("curves", __doc__)
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, help="seed programs")
    parser.add_argument("--iterations", type=int, default=60, help="of each training")
    parser.add_argument("--seeds", type=int, default=5, help="trainings of each kind")
    options: argparse.Namespace = parser.parse_args(argv)
    if options.tiny:
        report = measure(PROGRAMS[:1], _TINY, iterations=2, seeds=2, tiny=True)
    else:
        report = measure(options.programs, iterations=options.iterations, seeds=options.seeds)
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
