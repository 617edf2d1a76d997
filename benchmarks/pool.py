"""What variety costs: many different programs in one learner against each of them alone.

    python -m benchmarks.pool [--programs 32] [--copies 2048] [--cohort-size 1] [--json]

The same total number of copies on both sides (64 for each program of the pool and a program an
executable, as in the preset quick: what starting an executable costs is spread over its copies) and
the same settings otherwise. The programs, all of different skeletons, are trained on together in
one learner, in its cohorts; then each alone, with all the copies, in a learner of one slot.
Roll-outs and whole PPO iterations (roll-out and update) are both timed, warm: two iterations of
each program alone, and one of the pool after every second of them, so that both see the same
machine. Alone, the rate is the harmonic mean over the programs: the rate of somebody who trains on
one after the other.
"""

from __future__ import annotations

import dataclasses
import os
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jax

from benchmarks import command
from benchmarks.programs import distinct
from benchmarks.report import Report, at_least
from envs_dsl.program import Program
from spade_jax.learner import Learner, LearnerConfig

__all__ = ["main", "measure"]

ALONE_REPEATS = 2
POOLED_EVERY = 2


class _Rates(NamedTuple):
    """Steps a second of one iteration: of its roll-out, and of roll-out and update together."""

    rollout: float
    training: float


class _Trainer:
    """Iterations of one learner on one set of programs, each going on from the last."""

    def __init__(self, learner: Learner, programs: Sequence[Program]) -> None:
        self._learner = learner
        self._layout = learner.arrange(programs)
        start = time.perf_counter()
        learner.prepare(self._layout)
        self.compile_seconds = time.perf_counter() - start
        self._state = learner.init(0, self._layout)
        jax.block_until_ready(learner.collect(self._state, self._layout))  # warms up

    def iterate(self) -> _Rates:
        start = time.perf_counter()
        self._state, metrics = self._learner.train_iteration(self._state, self._layout)
        whole = time.perf_counter() - start
        return _Rates(metrics.env_steps / metrics.collect_seconds, metrics.env_steps / whole)


def _row(name: str, rates: Sequence[_Rates]) -> dict[str, Any]:
    rollout, training = zip(*rates)
    return {
        "programs": name,
        "rollout_steps_per_second": statistics.median(rollout),
        "rollout_slowest": min(rollout),
        "ppo_steps_per_second": statistics.median(training),
        "ppo_slowest": min(training),
    }


def measure(
    programs: Sequence[Program],
    copies: int,
    config: LearnerConfig,
    repeats: int = ALONE_REPEATS,
    tiny: bool = False,
) -> Report:
    """``programs`` together and alone, ``copies`` in all; other settings from ``config``."""
    count = len(programs)
    together = _Trainer(
        Learner(dataclasses.replace(config, slots=count, copies=copies // count)), programs
    )
    # One learner for all of them: its update is the same executable.
    single = Learner(
        dataclasses.replace(config, slots=1, cohort_size=1, copies=copies, cache_size=count)
    )
    command.progress(f"pool: compiling {count} programs, each alone")
    start = time.perf_counter()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
        list(threads.map(lambda program: single.cohorts.prepare([program]), programs))
    compiled = time.perf_counter() - start
    pooled: list[_Rates] = []
    alone: list[dict[str, Any]] = []
    for warm in (together, _Trainer(single, programs[:1])):
        warm.iterate()
    for number, program in enumerate(programs):
        command.progress(f"pool: {program.name} alone")
        trainer = _Trainer(single, [program])
        rates = [trainer.iterate() for _ in range(repeats)]
        alone.append(_row(program.name, rates))
        if number % POOLED_EVERY == 0:
            pooled.append(together.iterate())
    pool = _row(f"{count} in one learner", pooled)
    mean: dict[str, Any] = {
        name: statistics.harmonic_mean([row[name] for row in alone])
        for name in pool
        if name.endswith(("per_second", "slowest"))
    }
    mean = {
        "programs": f"each of {count} alone, harmonic mean",
        **mean,
        "compile_seconds": compiled,
    }
    pool["compile_seconds"] = together.compile_seconds
    bars = [
        at_least(
            f"{title}: {count} together / alone",
            pool[f"{part}_steps_per_second"] / mean[f"{part}_steps_per_second"],
            0.9,
        )
        for title, part in (("roll-outs", "rollout"), ("full PPO", "ppo"))
    ]
    settings = {
        "programs": count,
        "copies": copies,
        "repeats_alone": repeats,
        "repeats_together": len(pooled),
        "rollout_length": config.rollout_length,
        "epochs": config.epochs,
        "minibatches": config.minibatches,
        "cohort_size": config.cohort_size,
    }
    return Report(
        benchmark="pool",
        settings=settings,
        tables={"together and alone": [pool, mean], "each program alone": alone},
        bars=bars,
        tiny=tiny,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("pool", __doc__)
    parser.set_defaults(repeats=ALONE_REPEATS)
    parser.add_argument("--programs", type=int, default=32, help="different skeletons")
    parser.add_argument("--copies", type=int, default=2048, help="in all, on both sides")
    parser.add_argument("--cohort-size", type=int, default=1, help="programs of an executable")
    options = parser.parse_args(argv)
    if options.tiny:
        config = LearnerConfig(cohort_size=2, rollout_length=4, minibatches=2, epochs=1, hidden=8)
        report = measure(distinct(2, longest=40), 8, config, 1, tiny=True)
    else:
        programs = distinct(options.programs)
        config = LearnerConfig(cohort_size=options.cohort_size)
        report = measure(programs, options.copies, config, options.repeats)
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
