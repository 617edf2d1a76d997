"""How throughput scales: with copies, with programs in the pool, with devices.

    python -m benchmarks.scale [--only copies pools devices] [--json]

Each figure is of whole training iterations of the learner at its default settings (roll-out, reset
pools when they are due, PPO update), but with one epoch an update instead of three, which keeps a
repeat short: steps a second of the roll-out alone and of both, median and slowest, compile time
apart. The median does not see the one iteration in ``pool_refresh`` that draws levels.

- copies: 256 to 16,384 environments of the same four programs.
- pools: 1, 8, 32, 128 programs, a skeleton each, with the same number of environments. The smaller
  pools are taken evenly from the largest, sorted by the cost of a step, so that none is cheaper.
- devices: the same training on 1, 2, 4, 8 devices. Each iteration begins on all of them with the
  same state, that of one device: its episodes must be the same one by one, its losses may differ by
  rounding. (Left alone, runs part after a few iterations as any two do that round differently:
  where gradients are nearly zero, Adam divides rounding by rounding.) Where there are not so many
  devices, the processor is divided into simulated ones, in a process of its own; they share its
  cores, so these figures show what dividing costs, not what it gains.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from benchmarks import command
from benchmarks.programs import pick
from benchmarks.report import Bar, Plot, Report, at_least, at_most
from benchmarks.timing import REPEATS
from envs_dsl.mutate import mutate
from envs_dsl.program import Program
from spade_jax import checkpoint
from spade_jax.learner import IterationMetrics, Learner, LearnerConfig

__all__ = ["SIZES", "TINY", "Sizes", "evenly", "main", "measure", "skeletons"]

FLAT = 1.1
"""Cost of a step against that of the next smaller size which still counts as flat."""

COMPARED = 4
"""Iterations whose results on several devices are compared."""

APART = 1e-3
"""How far losses of the same iteration may lie apart: their own rounding is far less, but it goes
through all minibatches of the iteration."""

COHORT = 4
"""Programs of an executable: 128 alone would take longer to compile than all else here takes."""

FOUR = ("camp", "drift", "hail", "rooms")
WHAT = ("roll-out", "training")


@dataclasses.dataclass(frozen=True)
class Sizes:
    """What is measured.

    Attributes:
      environments: in "copies". pools: programs. pool_environments: in "pools".
      devices: counts. device_environments: in "devices".
      programs: of "copies" and "devices". learner: all other settings.
    """

    environments: tuple[int, ...] = (256, 1024, 4096, 16384)
    pools: tuple[int, ...] = (1, 8, 32, 128)
    pool_environments: int = 4096
    devices: tuple[int, ...] = (1, 2, 4, 8)
    device_environments: int = 1024
    programs: tuple[str, ...] = FOUR
    learner: LearnerConfig = dataclasses.field(default_factory=lambda: LearnerConfig(epochs=1))


SIZES = Sizes()
TINY = Sizes(
    environments=(8, 16),
    pools=(1, 2),
    pool_environments=16,
    devices=(1, 2),
    device_environments=8,
    programs=FOUR[:1],
    learner=LearnerConfig(hidden=8, rollout_length=4, minibatches=2, epochs=1),
)


def skeletons(count: int) -> list[Program]:
    """``count`` programs, a skeleton each, as a run has them: the seeds and mutants of them."""
    found = {program.hashes.skeleton: program for program in pick(())}
    parents, number = list(found.values()), 0
    while len(found) < count:
        parent = parents[number % len(parents)]
        child = mutate(parent, number // len(parents))
        number += 1
        if child is not None:
            program = Program.from_source(child.source, f"{parent.name}-{number}")
            found.setdefault(program.hashes.skeleton, program)
    return list(found.values())[:count]


def evenly(programs: Sequence[Program], count: int) -> list[Program]:
    """``count`` of ``programs``, evenly over them when sorted by the work of a step."""
    ordered = sorted(programs, key=lambda p: (p.cost.work, p.hashes.program))
    places = (np.arange(count) + 0.5) * len(ordered) / count
    return [ordered[int(place)] for place in places]


def train(learner: Learner, programs: Sequence[Program], iterations: int) -> list[dict[str, Any]]:
    """Iterations after one that warms up: figures of the roll-out and of both."""
    layout = learner.arrange(programs)
    start = time.perf_counter()
    learner.prepare(layout)
    compiled = time.perf_counter() - start
    state, _ = learner.train_iteration(learner.init(0, layout), layout)
    told = []
    cpu = time.process_time()
    for _ in range(iterations):
        state, metrics = learner.train_iteration(state, layout)
        told.append(metrics)
    cpu = time.process_time() - cpu
    steps = [m.env_steps for m in told]
    rollout = [n / m.collect_seconds for n, m in zip(steps, told)]
    whole = [n / (m.collect_seconds + m.update_seconds) for n, m in zip(steps, told)]
    common = {
        "steps_per_cpu_second": sum(steps) / max(cpu, 1e-9),
        "compile_seconds": compiled,
    }
    rows = [
        {
            "what": what,
            "steps_per_second": statistics.median(rates),
            "slowest": min(rates),
            "us_per_step": 1e6 / statistics.median(rates),
            **more,
        }
        for what, rates, more in (("roll-out", rollout, {}), ("training", whole, common))
    ]
    return rows


def configured(base: LearnerConfig, programs: int, environments: int) -> LearnerConfig:
    """Settings for so many programs, one slot each, that share so many environments."""
    return dataclasses.replace(
        base,
        slots=programs,
        copies=environments // programs,
        cohort_size=min(COHORT, programs),
        cache_size=max(base.cache_size, programs),
    )


Found = tuple[list[dict[str, Any]], list[Bar], list[str]]


def copies(sizes: Sizes, repeats: int) -> Found:
    """The same programs with more and more environments."""
    rows = []
    for environments in sizes.environments:
        command.progress(f"scale: {environments} environments")
        config = configured(sizes.learner, len(sizes.programs), environments)
        found = train(Learner(config, devices=1), pick(sizes.programs), repeats)
        rows += [{"environments": environments, **row} for row in found]
    bars = []
    for what in WHAT:
        cost = [row["us_per_step"] for row in rows if row["what"] == what]
        worst = max(after / before for before, after in itertools.pairwise(cost))
        name = f"{what}: cost of a step, each size against the one before (flat or falling)"
        bars.append(at_most(name, worst, FLAT, "×"))
    return rows, bars, []


def pools(sizes: Sizes, repeats: int) -> Found:
    """The same number of environments, divided among more and more programs."""
    programs = skeletons(max(sizes.pools))
    rows = []
    for count in sizes.pools:
        command.progress(f"scale: a pool of {count}")
        config = configured(sizes.learner, count, sizes.pool_environments)
        chosen = evenly(programs, count)
        work = statistics.fmean(p.cost.work for p in chosen)
        found = train(Learner(config, devices=1), chosen, repeats)
        rows += [{"programs": count, **row, "mean_work": work} for row in found]
    bars = []
    few, many = sizes.pools[-2:]
    for what in WHAT:
        rates = {r["programs"]: r["steps_per_second"] for r in rows if r["what"] == what}
        bars.append(at_least(f"{what}: pool of {many} / {few}", rates[many] / rates[few], 0.8))
    return rows, bars, []


def devices(sizes: Sizes, repeats: int) -> Found:
    """The same training on more and more devices of this process."""
    config = configured(sizes.learner, len(sizes.programs), sizes.device_environments)
    programs = pick(sizes.programs)
    rows: list[dict[str, Any]] = []
    same, furthest = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        alone = Learner(config, devices=1)
        expected: list[IterationMetrics] = []
        for count in sizes.devices:
            command.progress(f"scale: {count} devices")
            learner = alone if count == 1 else Learner(config, devices=count)
            found = train(learner, programs, repeats)
            expected = expected or trajectory(alone, programs, pathlib.Path(folder))
            metrics = again(learner, programs, pathlib.Path(folder))
            apart = max(
                abs(loss - other.losses[name])
                for one, other in zip(metrics, expected, strict=True)
                for name, loss in one.losses.items()
            )
            same.append([m.slots for m in metrics] == [m.slots for m in expected])
            furthest = max(furthest, apart)
            told_apart = {"largest_difference": apart}
            rows += [{"devices": count, **found[0]}, {"devices": count, **found[1], **told_apart}]
    name = f"device counts with the same episodes in every slot, {COMPARED} iterations"
    bars = [
        at_least(name, sum(same), len(same), "counts"),
        at_most("losses of these apart", furthest, APART, ""),
    ]
    return rows, bars, []


def trajectory(
    learner: Learner, programs: Sequence[Program], folder: pathlib.Path
) -> list[IterationMetrics]:
    """The first iterations; the state before each is kept in ``folder``."""
    layout = learner.arrange(programs)
    state = learner.init(0, layout)
    told = []
    for number in range(COMPARED):
        checkpoint.save(folder / str(number), 0, learner.fetch(state), {})
        state, metrics = learner.train_iteration(state, layout)
        told.append(metrics)
    return told


def again(
    learner: Learner, programs: Sequence[Program], folder: pathlib.Path
) -> list[IterationMetrics]:
    """The same iterations, each from the state that was kept before it."""
    layout = learner.arrange(programs)
    template = learner.template(layout)
    kept = [checkpoint.restore(folder / str(n), lambda meta: template) for n in range(COMPARED)]
    return [learner.train_iteration(state.arrays, layout)[1] for state in kept]


def simulated(sizes: Sizes, repeats: int, tiny: bool) -> Found:
    """``devices``; in a process with simulated ones where there are too few here."""
    if jax.device_count() >= max(sizes.devices):
        return devices(sizes, repeats)
    many = f"--xla_force_host_platform_device_count={max(sizes.devices)}"
    flags = f"{os.environ.get('XLA_FLAGS', '')} {many}".strip()
    words = ["--only", "devices", "--json", "--repeats", str(repeats), *["--tiny"] * tiny]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", *words],
        env=os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        check=False,
    )
    try:
        found = json.loads(run.stdout)
    except ValueError:
        return [], [], [f"devices: the process with simulated devices ended with {run.returncode}"]
    bars = [Bar(**{k: v for k, v in bar.items() if k != "met"}) for bar in found["bars"]]
    note = f"devices: simulated, they share {os.cpu_count()} cores"
    return found["tables"]["devices"], bars, [note]


PARTS = ("copies", "pools", "devices")
PLOTS = (
    Plot(
        "steps a second by environments", "copies", "environments", "steps_per_second", "what", True
    ),
    Plot("steps a second by programs in the pool", "pools", "programs", "steps_per_second", "what"),
    Plot("steps a second by devices", "devices", "devices", "steps_per_second", "what"),
)


def measure(
    only: Sequence[str] = PARTS,
    repeats: int = REPEATS,
    sizes: Sizes = SIZES,
    tiny: bool = False,
) -> Report:
    """The parts of the benchmark named in ``only``."""
    parts: dict[str, Callable[[], Found]] = {
        "copies": lambda: copies(sizes, repeats),
        "pools": lambda: pools(sizes, repeats),
        "devices": lambda: simulated(sizes, repeats, tiny),
    }
    tables: dict[str, list[dict[str, Any]]] = {}
    bars: list[Bar] = []
    notes: list[str] = []
    for part in only:
        tables[part], found, remarks = parts[part]()
        bars, notes = bars + found, notes + remarks
    settings = dataclasses.asdict(sizes) | {"repeats": repeats}
    plots = [plot for plot in PLOTS if plot.table in only]
    return Report("scale", settings, tables, bars, notes=notes, tiny=tiny, plots=plots)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("scale", __doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts (all)")
    options: argparse.Namespace = parser.parse_args(argv)
    if options.tiny:
        report = measure(options.only, min(options.repeats, 2), TINY, tiny=True)
    else:
        report = measure(options.only, options.repeats)
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
