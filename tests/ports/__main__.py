"""Compare the ports with their originals: ``python -m tests.ports --help``."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import sys

from .originals import MODULES, installed, missing
from .trace import compare


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.ports",
        description="Run the ports beside their originals and compare every step.",
        epilog="examples:\n  python -m tests.ports\n"
        "  python -m tests.ports --only freeway_minatar --steps 100000\n"
        "  python -m tests.ports --json > results/language/ports.json\n"
        "exit status: 0 no difference, 1 a difference, 2 wrong usage",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--steps", type=int, default=10_000, help="of each port (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of states, actions and draws (0)")
    parser.add_argument("--only", nargs="+", metavar="PORT", help="names of ports (all)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    given = parser.parse_args()
    kinds = installed()
    known = sorted({kind.port for kind in kinds})
    unknown = sorted(set(given.only or ()) - set(known))
    if unknown:
        parser.error(f"no port {unknown[0]!r} to compare; there are {', '.join(known)}")
    if given.steps < 1:
        parser.error("--steps must be 1 or more")
    results = []
    for kind in kinds:
        if given.only and kind.port not in given.only:
            continue
        result = compare(kind(), given.steps, seed=given.seed)
        results.append(result)
        if not given.json:
            verdict = "differs" if result.differences else "equal"
            print(
                f"{result.port:20} {result.original:34} {verdict}: {result.steps} steps, "
                f"{result.levels} levels, {result.terminated} ended, {result.truncated} truncated, "
                f"{result.rewarded} rewarded",
                flush=True,
            )
            for line in result.differences:
                print(f"    {line}")
    if given.json:
        versions = {p: importlib.metadata.version(p) for p in MODULES if p not in missing()}
        found = [dataclasses.asdict(result) for result in results]
        document = {"seed": given.seed, "versions": versions, "not_installed": missing()}
        print(json.dumps(document | {"ports": found}, indent=2))
    elif missing():
        print(f"not installed, so not compared: {', '.join(missing())} (pip install -e '.[ports]')")
    return int(any(result.differences for result in results))


if __name__ == "__main__":
    sys.exit(main())
