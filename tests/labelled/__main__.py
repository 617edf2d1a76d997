"""``python -m tests.labelled [--half N] [--json]``: the gates against the labels."""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time

from tests.labelled import Judged, judge, programs


def main() -> int:
    """Exit code 1 if a sound program is rejected or a planted fault is not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.labelled", description=__doc__)
    parser.add_argument("--half", type=int, choices=(1, 2), help="one half of the set only")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    args = parser.parse_args()
    found: list[Judged] = []
    seconds = {}
    for entry in programs():
        if args.half in (None, entry.half):
            started = time.process_time()
            found.append(judge(entry))
            seconds[entry.name] = round(time.process_time() - started, 2)
    if args.json:
        rows = [
            {"name": j.entry.name, "label": j.entry.label, "half": j.entry.half,
             "reason": j.reason.value, "right": j.right, "cpu_seconds": seconds[j.entry.name],
             "error": j.verdict.error}
            for j in found
        ]  # fmt: skip
        print(json.dumps({"programs": rows, "summary": summary(found)}, indent=1))
    else:
        for j in found:
            mark = " " if j.right else "!"
            text = j.verdict.error or ("" if j.verdict.ok else str(j.reason))
            print(f"{mark} {j.entry.name:<32} {j.reason:<15} {seconds[j.entry.name]:5.2f}s  {text}")
        for half, counts in summary(found).items():
            print(half, counts)
    return 0 if all(j.right for j in found) else 1


def summary(found: list[Judged]) -> dict[str, dict[str, str]]:
    """Of each half and label: right answers out of all."""
    table: dict[str, dict[str, list[bool]]] = collections.defaultdict(
        lambda: collections.defaultdict(list)
    )
    for j in found:
        table[f"half {j.entry.half}"][j.entry.label].append(j.right)
    return {
        half: {label: f"{sum(rights)} of {len(rights)}" for label, rights in labels.items()}
        for half, labels in table.items()
    }


if __name__ == "__main__":
    sys.exit(main())
