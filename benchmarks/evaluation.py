"""Success rates of a pool: one batched call against one call for each program.

    python -m benchmarks.evaluation [--programs 32] [--episodes 256] [--json]

Whole episodes of an untrained policy on programs of different skeletons (none longer than 150
steps, so that the benchmark ends), played by ``Learner.evaluate``: all of them in one call; then
one call a program, each in an executable of its own, compiled for nothing else. Both are
interleaved, warm. And, once, one call a program in the executables that training has anyway, where
a program's cohort is played along with it. The episodes are the same ones, which is checked.

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
    # In the order that ``evaluate`` has by itself: training's cohorts serve both.
    programs = sorted(programs, key=lambda program: program.game.max_steps)
    layout = learner.arrange(programs)
    params = learner.init(0, layout).params

    def together() -> tuple[EpisodeStats, ...]:
        return learner.evaluate(params, programs, episodes=episodes, seed=1)

    def one_by_one(in_cohorts: bool) -> tuple[EpisodeStats, ...]:
        used = layout if in_cohorts else None
        return tuple(
            learner.evaluate(params, [program], episodes=episodes, seed=1, layout=used)[0]
            for program in programs
        )

    runs: dict[str, Callable[[], tuple[EpisodeStats, ...]]] = {
        "one call": together,
        f"{len(programs)} calls": lambda: one_by_one(False),
        f"{len(programs)} calls in training's cohorts": lambda: one_by_one(True),
    }

    def compile_each() -> None:
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
            list(threads.map(lambda program: learner.prepare_evaluation([program]), programs))

    prepare: tuple[Callable[[], None], ...] = (
        lambda: learner.prepare_evaluation(programs),
        compile_each,
        lambda: learner.prepare_evaluation(programs, layout),
    )
    compiled, found = {}, {}

    def play(name: str) -> None:
        stats = runs[name]()
        found[name] = [(s.episodes, s.successes, sorted(s.lengths.tolist())) for s in stats]

    for name, compile in zip(runs, prepare):
        command.progress(f"evaluation: {name}")
        start = time.perf_counter()
        compile()
        compiled[name] = time.perf_counter() - start
    *quick, slow = runs
    times = side_by_side({name: functools.partial(play, name) for name in quick}, repeats)
    # Its executables are those of the one call: they have run.
    times |= side_by_side({slow: functools.partial(play, slow)}, 1, warm_up=0)
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
    one, calls, cohorts = (times[name] for name in runs)
    return Report(
        benchmark="evaluation",
        settings={
            "programs": len(programs),
            "episodes": episodes,
            "copies": config.copies,
            "cohort_size": config.cohort_size,
            "repeats": repeats,
            "counted_steps": counted,
        },
        tables={"calls": rows},
        bars=[
            at_least("one call / a call for each program", ratio(one, calls), 3.0),
            at_least("one call / a call for each, in training's cohorts", ratio(one, cohorts), 3.0),
        ],
        notes=[] if same else ["the three ways did not play the same episodes"],
        tiny=tiny,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("evaluation", __doc__)
    parser.set_defaults(repeats=REPEATS)
    parser.add_argument("--programs", type=int, default=32, help="different skeletons")
    parser.add_argument("--episodes", type=int, default=256, help="of each program")
    options = parser.parse_args(argv)
    if options.tiny:
        config = LearnerConfig(
            slots=2, copies=4, cohort_size=2, rollout_length=8, minibatches=2, hidden=8
        )
        report = measure(distinct(2, longest=40), 8, config, 1, tiny=True)
    else:
        programs = distinct(options.programs, LONGEST)
        # Every executable of the three ways is kept.
        config = LearnerConfig(slots=len(programs), cohort_size=4, cache_size=4 * len(programs))
        report = measure(programs, options.episodes, config, options.repeats)
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
