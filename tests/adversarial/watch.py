"""Check every case in a process of its own, under a memory limit, with an audit hook watching.

Run as a script; prints one JSON document: for every case its findings and CPU seconds, then what
the process did besides, and by how many bytes it grew.
"""

from __future__ import annotations

import json
import pathlib
import resource
import sys
import time

MOST_BYTES = 200 << 20


def main() -> None:
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    from adversarial import base, cases
    from envs_dsl.language.check import analyse

    inputs = cases()
    analyse(base())
    analyse("x = (")  # everything that is loaded on demand is loaded now
    events: list[list[str]] = []
    current = [""]

    def watch(event: str, args: tuple[object, ...]) -> None:
        if current[0] and event != "builtins.id":
            events.append([current[0], event, repr(args)[:200]])

    sys.addaudithook(watch)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    used = pages * resource.getpagesize()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, hard))
    checked = []
    for case in inputs:
        start = time.process_time()
        current[0] = case.name
        found = analyse(case.text).diagnostics
        current[0] = ""
        seconds = time.process_time() - start
        checked.append([case.name, [[d.code, d.line] for d in found], seconds])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    json.dump({"checked": checked, "events": events, "grown": (after - before) * 1024}, sys.stdout)


if __name__ == "__main__":
    main()
