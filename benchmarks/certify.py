"""What the search for a win costs and finds: the key-and-door levels, and every bundled program.

    python -m benchmarks.certify [--levels 20] [--json]

First ``--levels`` levels of the 9x9 seed ``key_door`` with the budget of ``python -m envs_dsl
solve``; then three levels of every bundled program with the budget that the executor gives a
candidate. Times are CPU seconds of this process. ``limits`` are what the project promises (20
levels within 5 s), and the exit code is 1 where one is broken.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from envs_dsl import library
from envs_dsl.certify import Limits, certify, limits_for
from spade_jax.executor import ExecutorConfig

__all__ = ["main"]

LIMITS = {"key_door_cpu_s": 5.0}


def key_door(levels: int) -> dict[str, Any]:
    """CPU seconds for levels of the seed ``key_door``, and the lengths of their shortest wins."""
    program = next(p for p in library.seeds() if p.name == "key_door")
    start = time.process_time()
    found = certify(program, range(levels), Limits())
    seconds = time.process_time() - start
    sides = [level.sides[0] for level in found.levels]
    return {
        "key_door_levels": levels,
        "key_door_cpu_s": round(seconds, 3),
        "key_door_solved": found.count("solvable"),
        "key_door_shortest": all(side.shortest for side in sides),
        "key_door_lengths": [side.length for side in sides],
    }


def bundled() -> dict[str, Any]:
    """Answers on every bundled program under the executor's budget, and what they cost."""
    config = ExecutorConfig()
    report: dict[str, Any] = {}
    for name in ("seeds", "heldout_dev", "games"):
        answers: collections.Counter[str] = collections.Counter()
        times, unknown = [], []
        for program in getattr(library, name)():
            limits = limits_for(program, config.certificate_states, config.certificate_work)
            start = time.process_time()
            found = certify(program, range(config.certificate_levels), limits)
            times.append(time.process_time() - start)
            answers[found.answer] += 1
            if found.answer != "solvable":
                unknown.append(program.name)
        report[name] = {
            "programs": len(times),
            **dict(answers),
            "not_solved": unknown,
            "mean_cpu_s": round(sum(times) / len(times), 3),
            "most_cpu_s": round(max(times), 3),
        }
    return report


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a limit is broken."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.certify", description="What the search for a win costs."
    )
    parser.add_argument("--levels", type=int, default=20, metavar="N", help="of key_door (20)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    args = parser.parse_args(argv)
    report = key_door(max(1, args.levels)) | {"bundled": bundled(), "limits": LIMITS}
    broken = [name for name, limit in LIMITS.items() if report[name] > limit]
    report["broken"] = broken
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        for name, value in report.items():
            print(f"{name:<20} {value}")
    return 1 if broken or report["key_door_solved"] < report["key_door_levels"] else 0


if __name__ == "__main__":
    sys.exit(main())
