"""Thousands of skeletons through one process: does memory stay where it was?

    python -m benchmarks.soak [--skeletons 2000] [--json]

Every skeleton is a structural mutant of the bundled programs. Each is checked, its behaviour is
measured, it is admitted to a learner of one slot (of tiny sizes: executables differ by their
program, not by the number of copies), trained on for an iteration, evaluated, and pushed out by
those after it. What is compiled is not kept on disk.

Resident memory is read after every tenth of the skeletons, once garbage is collected. The bars: in
the second half it grows by at most a tenth of what it was after the first, and no more executables
live than the learner keeps, besides those that it has for good.
"""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import jax
import psutil

from benchmarks import command
from benchmarks.programs import mutants
from benchmarks.report import Plot, Report, at_most
from envs_dsl.behaviour import behaviour_hash
from envs_dsl.library import games, seeds
from envs_dsl.program import Program
from spade_jax.learner import Learner, LearnerConfig

__all__ = ["main", "measure"]

CONFIG = LearnerConfig(
    slots=1,
    copies=4,
    cohort_size=1,
    rollout_length=4,
    levels_per_copy=2,
    minibatches=1,
    epochs=1,
    hidden=8,
    cache_size=8,
)
READINGS = 20


def measure(
    programs: Iterable[Program], count: int, config: LearnerConfig, tiny: bool = False
) -> Report:
    """Pass ``count`` programs through a learner."""
    learner, state, layout = Learner(config), None, None
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    rows: list[dict[str, Any]] = []
    started, cpu = time.perf_counter(), time.process_time()
    every = max(1, count // READINGS)
    for number, program in enumerate(islice(programs, count), start=1):
        behaviour_hash(program)
        following = learner.arrange([program])
        if state is None or layout is None:
            state = learner.init(0, following)
        else:
            state = learner.set_layout(state, layout, following)
        layout = following
        state, _ = learner.train_iteration(state, layout)
        learner.evaluate(state.params, [program], episodes=config.copies, layout=layout)
        alive.add(learner.cohorts.prepare([program]))
        if number % every == 0 or number in (count, (count + 1) // 2):
            rows.append(
                {
                    "skeletons": number,
                    "resident_mb": resident(),
                    "cohorts_alive": len(alive),
                    "cohorts_kept": len(learner.cohorts),
                    "executables_of_process": len(jax.devices()[0].client.live_executables()),
                    "cpu_s": time.process_time() - cpu,
                }
            )
            command.progress(
                f"soak: {number}/{count}, {rows[-1]['resident_mb']:.0f} MB, "
                f"{time.perf_counter() - started:.0f} s"
            )
    half = next(row for row in rows if row["skeletons"] >= (count + 1) // 2)
    return Report(
        benchmark="soak",
        settings={
            "skeletons": count,
            "cache_size": config.cache_size,
            "copies": config.copies,
            "rollout_length": config.rollout_length,
        },
        tables={"memory": rows},
        bars=[
            at_most(
                "growth of memory in the second half",
                rows[-1]["resident_mb"] / half["resident_mb"] - 1.0,
                0.1,
                "share",
            ),
            at_most(
                "executables kept beyond the cache",
                max(row["cohorts_alive"] for row in rows) - config.cache_size,
                0.0,
                "cohorts",
            ),
        ],
        plots=[Plot("resident memory", "memory", x="skeletons", y="resident_mb")],
        tiny=tiny,
    )


def resident() -> float:
    """Resident memory of the process in MB, once garbage is collected."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 2**20


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("soak", __doc__)
    parser.add_argument("--skeletons", type=int, default=2000, metavar="N", help="in all (2000)")
    options = parser.parse_args(argv)
    count = 4 if options.tiny else max(2, options.skeletons)
    stream = mutants((*seeds(), *games()), seed=1)
    return command.finish(measure(stream, count, CONFIG, options.tiny), options)


if __name__ == "__main__":
    sys.exit(main())
