"""Success rates of a pool: one batched call against one call for each program.

    python -m benchmarks.evaluation [--programs 32] [--episodes 256] [--cohort-size N] [--json]

Whole episodes of an untrained policy on programs of different skeletons (none longer than 150
steps, so that the benchmark ends), played by ``Learner.evaluate``: all of them in one call, in
cohorts of the platform's size, side by side; then one call a program, each in an executable of its
own. Both are interleaved, warm. The episodes are the same ones, which is checked.

Steps are those of counted episodes; a call may run more, until the last copy has finished.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks import command
from benchmarks.programs import distinct
from benchmarks.report import Report, at_least
from benchmarks.timing import ratio, side_by_side
from envs_dsl.program import Program
from spade_jax.learner import Learner, LearnerConfig
from spade_jax.play import EpisodeStats

__all__ = ["main", "measure"]

REPEATS = 3
LONGEST = 150


def measure(
    programs: Sequence[Program],
    episodes: int,
    config: LearnerConfig,
    repeats: int = REPEATS,
    tiny: bool = False,
) -> Report:
    """Evaluate ``programs`` together and one by one; ``config`` has a slot for each."""
    learner = Learner(config)
    params = learner.init(0, learner.arrange(programs)).params

    def together() -> tuple[EpisodeStats, ...]:
        return learner.evaluate(params, programs, episodes=episodes, seed=1)

    def one_by_one() -> tuple[EpisodeStats, ...]:
        return tuple(
            learner.evaluate(params, [program], episodes=episodes, seed=1)[0]
            for program in programs
        )

    def compile_each() -> None:
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
            list(threads.map(lambda program: learner.prepare_evaluation([program]), programs))

    runs: dict[str, Callable[[], tuple[EpisodeStats, ...]]] = {
        "one call": together,
        f"{len(programs)} calls": one_by_one,
    }
    compiled: dict[str, float | None] = {}
    found = {}

    def play(name: str) -> None:
        stats = runs[name]()
        found[name] = [(s.episodes, s.successes, sorted(s.lengths.tolist())) for s in stats]

    for name, compile in zip(
        reversed(runs), (compile_each, lambda: learner.prepare_evaluation(programs))
    ):
        command.progress(f"evaluation: compiling for {name}")
        start = time.perf_counter()
        compile()
        compiled[name] = time.perf_counter() - start
    if learner.cohorts.size == 1:  # both ways have the same executables
        compiled["one call"] = None
    times = side_by_side({name: functools.partial(play, name) for name in runs}, repeats)
    same = all(stats == found["one call"] for stats in found.values())
    counted = sum(sum(lengths) for _, _, lengths in found["one call"])
    rows = [
        {
            "evaluated in": name,
            "seconds": times[name].median,
            "slowest_seconds": times[name].slowest,
            "cpu_seconds": min(times[name].cpu_seconds),
            "steps_per_second": counted / times[name].median,
            "compile_seconds": compiled[name],
        }
        for name in runs
    ]
    one, calls = (times[name] for name in runs)
    return Report(
        benchmark="evaluation",
        settings={
            "programs": len(programs),
            "episodes": episodes,
            "copies": config.copies,
            "cohort_size": learner.cohorts.size,
            "repeats": repeats,
            "counted_steps": counted,
        },
        tables={"calls": rows},
        bars=[
            at_least("one call / a call for each program", ratio(one, calls), 3.0),
        ],
        notes=[] if same else ["the two ways did not play the same episodes"],
        tiny=tiny,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("evaluation", __doc__)
    parser.set_defaults(repeats=REPEATS)
    parser.add_argument("--programs", type=int, default=32, help="different skeletons")
    parser.add_argument("--cohort-size", type=int, help="another than the platform's")
    parser.add_argument("--episodes", type=int, default=256, help="of each program")
    options = parser.parse_args(argv)
    if options.tiny:
        config = LearnerConfig(
            slots=2, copies=4, cohort_size=2, rollout_length=8, minibatches=2, hidden=8
        )
        report = measure(distinct(2, longest=40), 8, config, 1, tiny=True)
    else:
        programs = distinct(options.programs, LONGEST)
        # Every executable of both ways is kept.
        config = LearnerConfig(
            slots=len(programs),
            cohort_size=options.cohort_size,
            cache_size=2 * len(programs),
        )
        report = measure(programs, options.episodes, config, options.repeats)
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
