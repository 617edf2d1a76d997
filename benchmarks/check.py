"""How long the static checks take: in a process, and from a cold start.

    python -m benchmarks.check [--repeats 200] [--json]

The program is ``benchmarks/hundred_lines.txt``, 100 lines of everything a game may hold. Times are
CPU seconds of this process (and of its children), so that other work on the machine counts little;
the cold start is told by the clock as well. ``limits`` are what the project promises, and the exit
code is 1 where one is broken.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from envs_dsl.program import check

__all__ = ["main"]

PROGRAM = pathlib.Path(__file__).with_name("hundred_lines.txt")
LIMITS = {"median_ms": 5.0, "cold_cpu_s": 0.3}


def in_process(text: str, repeats: int) -> dict[str, float]:
    """Milliseconds of ``check``: median, least and most of ``repeats`` after one to warm up."""
    check(text)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        check(text)
        times.append(1e3 * (time.process_time() - start))
    return {"median_ms": statistics.median(times), "least_ms": min(times), "most_ms": max(times)}


def from_cold(path: pathlib.Path, repeats: int) -> dict[str, float]:
    """Seconds of ``python -m envs_dsl check FILE``: medians of CPU and of the clock."""
    command = [sys.executable, "-m", "envs_dsl", "check", str(path)]
    cpu, wall = [], []
    for _ in range(repeats):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.perf_counter() - start)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"cold_cpu_s": statistics.median(cpu), "cold_wall_s": statistics.median(wall)}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a limit is broken."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.check", description="How long the static checks take."
    )
    parser.add_argument("--repeats", type=int, default=200, metavar="N", help="checks (200)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    args = parser.parse_args(argv)
    text = PROGRAM.read_text(encoding="ascii")
    found = check(text)
    arrays = [name for name in ("jax", "numpy") if name in sys.modules]
    figures = in_process(text, max(1, args.repeats)) | from_cold(PROGRAM, 5)
    broken = [name for name, limit in LIMITS.items() if figures[name] > limit]
    report = {
        "lines": text.count("\n"),
        "accepted": found.ok,
        "array_libraries_loaded": arrays,
        **{name: round(value, 3) for name, value in figures.items()},
        "limits": LIMITS,
        "broken": broken,
    }
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        for name, value in report.items():
            print(f"{name:<24} {value}")
    return 1 if broken or arrays or not found.ok else 0


if __name__ == "__main__":
    sys.exit(main())
