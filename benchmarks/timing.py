"""Clocks: warm repeats of something, alone or side by side with what it is compared to.

    alone = repeat(lambda: step(state))
    both = side_by_side({"ours": ours, "theirs": theirs})     # interleaved, in one process
    both["ours"].rates(steps)                  # {"steps_per_second": …, "slowest": …}
    ratio(both["ours"], both["theirs"], our_steps, their_steps)

What is timed runs to its end (``jax.block_until_ready``) and must be compiled before: ``warm_up``
calls are not counted. ``compile_seconds`` times a compilation. Figures are of the clock; CPU
seconds of the process stand beside them, for a machine that does other work as well.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import jax

__all__ = ["REPEATS", "Timing", "compile_seconds", "ratio", "repeat", "side_by_side"]

REPEATS = 10
"""Repeats that a figure is the median and the slowest of."""


@dataclasses.dataclass(frozen=True)
class Timing:
    """Warm repeats of one thing, in order.

    Attributes:
      seconds: of the clock, one a repeat. cpu_seconds: of all threads of the process.
    """

    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def slowest(self) -> float:
        return max(self.seconds)

    @property
    def fastest(self) -> float:
        return min(self.seconds)

    def rates(self, count: float, unit: str = "steps") -> dict[str, float]:
        """``count`` things a repeat as rates: the median's, the slowest's and one CPU second's."""
        return {
            f"{unit}_per_second": count / self.median,
            "slowest": count / self.slowest,
            f"{unit}_per_cpu_second": count / max(statistics.median(self.cpu_seconds), 1e-9),
        }


def repeat(run: Callable[[], Any], repeats: int = REPEATS, warm_up: int = 1) -> Timing:
    """Time ``repeats`` calls of ``run`` after ``warm_up`` calls that do not count."""
    return side_by_side({"": run}, repeats, warm_up)[""]


def side_by_side(
    runs: Mapping[str, Callable[[], Any]], repeats: int = REPEATS, warm_up: int = 1
) -> dict[str, Timing]:
    """Time several things in turn, so that whatever else the machine does falls on all of them.

    Every other round goes through them backwards: none always comes after the same one.
    """
    for run in runs.values():
        for _ in range(warm_up):
            jax.block_until_ready(run())
    clock: dict[str, list[float]] = {name: [] for name in runs}
    cpu: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(repeats):
        order = list(runs) if number % 2 == 0 else list(runs)[::-1]
        for name in order:
            cpu_start, start = time.process_time(), time.perf_counter()
            jax.block_until_ready(runs[name]())
            clock[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - cpu_start)
    return {name: Timing(tuple(clock[name]), tuple(cpu[name])) for name in runs}


def ratio(ours: Timing, theirs: Timing, our_count: float = 1.0, their_count: float = 1.0) -> float:
    """How many times faster ours is: rates of the medians, things a second by things a second."""
    return (our_count / ours.median) / (their_count / theirs.median)


def compile_seconds(lowered: Callable[[], Any]) -> tuple[Any, float]:
    """(executable, seconds) of ``lambda: jax.jit(f).lower(…)``: tracing and compiling together."""
    start = time.perf_counter()
    executable = lowered().compile()
    return executable, time.perf_counter() - start
