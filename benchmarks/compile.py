"""From program text to a training step that can be dispatched: how long it takes.

    python -m benchmarks.compile [--programs 30] [--json]

Bundled programs (the costliest games among them) and mutants of them, all of different skeletons;
each is checked, traced and compiled at the learner's default sizes. Four ways:

- *alone, cold*: a skeleton never seen, in an executable of its own, nothing else being compiled;
- *in a cohort, cold*: its share where a whole new cohort is compiled, one cohort after the other;
- *alone, warm*: as the first, in a second process that finds the persistent cache of the first;
- *known skeleton*: a program that differs from a compiled one only in its numbers.

The policy's update does not depend on programs and is compiled once a run: it stands by itself.
Seconds are of the clock, with CPU seconds of the process, its compiler threads included, beside
them. The bars are on the median and on the 95th percentile.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax.experimental.compilation_cache.compilation_cache import reset_cache

from benchmarks import command
from benchmarks.programs import mutants
from benchmarks.report import Bar, Report, at_most
from envs_dsl.library import games, ports, seeds
from envs_dsl.mutate import mutate
from envs_dsl.program import Program
from spade_jax.learner import Learner, LearnerConfig, keep_executables
from spade_jax.learner.platform import cohort_size

__all__ = ["main", "measure"]

ALONE, COHORT, WARM, KNOWN = (
    *("alone, cold", "share of a new cohort", "alone, second process"),
    "known skeleton, new numbers",
)
BARS = {ALONE: 2.0, COHORT: 0.7, WARM: 0.5, KNOWN: 0.05}
TOGETHER = 4
"""Programs of a cohort, where one's share of it is measured."""

TINY = LearnerConfig(slots=2, copies=4, cohort_size=2, rollout_length=4, minibatches=1, hidden=8)
MISSES = "/jax/compilation_cache/cache_misses"

Times = list[tuple[float, float]]
"""(seconds of the clock, CPU seconds) of each program."""


def choose(count: int) -> list[Program]:
    """Programs of different skeletons: a third seeds, a third the costliest games, then mutants."""
    costly = sorted(games(), key=lambda program: -program.cost.work)
    third = -(-count // 3)
    found = {p.hashes.skeleton: p for p in (*seeds()[:third], *costly[:third])}
    stream = mutants((*seeds(), *games()), seed=0)
    while len(found) < count:
        program = next(stream)
        found.setdefault(program.hashes.skeleton, program)
    return list(found.values())[:count]


def learner_of(config: LearnerConfig, size: int) -> Learner:
    """A learner of one cohort of ``size``, that has compiled before: what a process does once, at
    its first compilation, does not count."""
    learner = Learner(dataclasses.replace(config, slots=size, cohort_size=size, cache_size=1024))
    learner.cohorts.prepare(ports()[:1] * size)
    return learner


def dispatchable(learner: Learner, texts: Sequence[str]) -> None:
    """Check the texts and compile them as one cohort."""
    programs = [Program.from_source(text) for text in texts]
    learner.cohorts.prepare(programs)
    for program in programs:
        learner.cohorts.constants(program)


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, float]:
    """Seconds of the clock and CPU seconds of ``work(*arguments)``."""
    cpu, start = time.process_time(), time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start, time.process_time() - cpu


def sibling(program: Program) -> str | None:
    """A program of the same executable with other numbers, None where none is found."""
    for seed in range(20):
        made = mutate(program, seed, "jitter_literal")
        if made and Program.from_source(made.source).executable == program.executable:
            return made.source
    return None


def alone(texts: Sequence[str], config: LearnerConfig) -> tuple[Times, Times]:
    """Each text in an executable of its own; then, of those that have one, its sibling."""
    learner = learner_of(config, 1)
    first = [timed(dispatchable, learner, [text]) for text in texts]
    others = [other for text in texts if (other := sibling(Program.from_source(text)))]
    return first, [timed(dispatchable, learner, [text]) for text in others]


def in_cohorts(texts: Sequence[str], config: LearnerConfig) -> Times:
    """Each program's share of a new cohort, of those that fill one."""
    size = cohort_size(config)
    learner = learner_of(config, size)
    shares = []
    for first in range(0, len(texts) - size + 1, size):
        wall, cpu = timed(dispatchable, learner, texts[first : first + size])
        shares.append((wall / size, cpu / size))
    return shares


def warm(texts: Sequence[str], cache: str, tiny: bool) -> tuple[Times, int]:
    """What ``alone`` takes in a process that finds ``cache`` filled, and what it misses there."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "texts.json"
        file.write_text(json.dumps(list(texts)), encoding="utf-8")
        call = [sys.executable, "-m", "benchmarks.compile", "--second", str(file), cache]
        run = subprocess.run(
            [*call, *(["--tiny"] if tiny else [])], stdout=subprocess.PIPE, check=True, text=True
        )
    found = json.loads(run.stdout)
    return [tuple(pair) for pair in found["times"]], found["misses"]


def second(file: str, cache: str, config: LearnerConfig) -> None:
    """The second process: prints its times and its misses as JSON."""
    texts = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    keep_executables(cache)
    learner = learner_of(config, 1)
    misses: list[str] = []
    jax.monitoring.register_event_listener(
        lambda event, **_: misses.append(event) if event == MISSES else None
    )
    times = [timed(dispatchable, learner, [text]) for text in texts]
    print(json.dumps({"times": times, "misses": len(misses)}))


@contextmanager
def kept_for_a_while() -> Iterator[str]:
    """A folder in which what is compiled inside is kept."""
    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")
    before = {name: getattr(jax.config, name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        reset_cache()
        keep_executables(folder)
        try:
            yield folder
        finally:
            for name, value in before.items():
                jax.config.update(name, value)
            reset_cache()


def row(name: str, times: Times) -> dict[str, Any]:
    """One line of the table."""
    seconds = [wall for wall, _ in times]
    return {
        "way": name,
        "programs": len(times),
        "median_s": statistics.median(seconds),
        "p95_s": float(np.percentile(seconds, 95)),
        "slowest_s": max(seconds),
        "median_cpu_s": statistics.median(cpu for _, cpu in times),
    }


def bars(rows: Mapping[str, Mapping[str, Any]]) -> list[Bar]:
    """Median and 95th percentile of every way against its bar."""
    return [
        at_most(f"{name}: {what}", rows[name][column], bar)
        for name, bar in BARS.items()
        for what, column in (("median", "median_s"), ("95th percentile", "p95_s"))
    ]


def measure(programs: Sequence[Program], config: LearnerConfig, tiny: bool = False) -> Report:
    """Compile ``programs`` in all four ways."""
    texts = [program.source for program in programs]
    with kept_for_a_while() as cache:
        command.progress(f"compile: {len(texts)} programs, each alone")
        cold, known = alone(texts, config)
        command.progress("compile: again in a second process")
        again, misses = warm(texts, cache, tiny)
        command.progress("compile: in cohorts")
        shares = in_cohorts(texts, config)
    rows = {
        name: row(name, times)
        for name, times in ((ALONE, cold), (COHORT, shares), (WARM, again), (KNOWN, known))
    }
    update = timed(Learner(config)._compiled_update)
    each = [
        {
            "program": program.name,
            "work": program.cost.work,
            "operations": program.cost.ops,
            "alone_s": wall,
            "alone_cpu_s": cpu,
            "second_process_s": later,
        }
        for program, (wall, cpu), (later, _) in zip(programs, cold, again, strict=True)
    ]
    return Report(
        benchmark="compile",
        settings={
            "programs": len(texts),
            "copies": config.copies,
            "cohort_size": config.cohort_size,
            "rollout_length": config.rollout_length,
            "missed_in_second_process": misses,
        },
        tables={
            "compilation": list(rows.values()),
            "update": [{"what": "PPO update, once a run", "seconds": update[0], "cpu": update[1]}],
            "programs": each,
        },
        bars=bars(rows),
        notes=[f"{misses} executables missed the persistent cache"] if misses else [],
        tiny=tiny,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("compile", __doc__)
    parser.add_argument("--programs", type=int, default=30, help="different skeletons (at least 4)")
    parser.add_argument("--second", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    config = TINY if options.tiny else LearnerConfig(cohort_size=TOGETHER)
    if options.second:
        file, cache = options.second
        second(file, cache, config)
        return 0
    programs = choose(2 if options.tiny else max(4, options.programs))
    return command.finish(measure(programs, config, options.tiny), options)


if __name__ == "__main__":
    sys.exit(main())
