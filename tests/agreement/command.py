"""The command: random and bundled programs through oracle, NumPy and JAX; a summary as JSON."""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import statistics
import sys
import time
from typing import Any

import jax
import psutil
from program_maker import program_of

import envs_dsl.library
from envs_dsl import Program, load
from envs_dsl.language.builtins import TABLE

from .episodes import Finding, against_oracle, play
from .laws import broken_laws
from .modes import MODES, against_numpy, has_floats
from .tally import tally

__all__ = ["bundled", "main", "summary"]

COPIES, STEPS, ASKED = 4, 5, 3
MOST_BYTES = 3 << 30
"""Resident memory with which JAX's caches are emptied: it frees no executable by itself."""
MORE_BYTES = 2 << 30
"""Growth after that with which they are emptied again."""

EPILOG = """examples:
  python -m tests.agreement --programs 2000 --json > results/language/agreement.json
  python -m tests.agreement --programs 2000 --shard 0/2 --log 0.jsonl   # and 1/2 beside it
  python -m tests.agreement --programs 2000 --log 0.jsonl --log 1.jsonl --json
  python -m tests.agreement --programs 200 --no-jax

A log keeps one line a program; what it has been asked is not asked again. Exit 1: they disagree.
"""


def bundled() -> list[pathlib.Path]:
    """Files of all bundled programs."""
    library = pathlib.Path(envs_dsl.library.__file__).parent
    return sorted(path for path in library.glob("*/*.py") if path.name != "__init__.py")


def examine(program: Program, seed: int, *, modes: tuple[str, ...]) -> dict[str, Any]:
    """One program: what is found, and what it says about the language that was used.

    Args:
      modes: of JAX (``modes.MODES``); none leave JAX out.
    """
    start = time.process_time()
    episodes = play(program, copies=COPIES, steps=STEPS, seed=seed)
    found = against_oracle(program, episodes, range(ASKED))
    seconds = {"numpy and oracle": time.process_time() - start}
    if modes:
        more, jax_seconds = against_numpy(program, episodes, modes)
        found, seconds = found + more, seconds | jax_seconds
    start = time.process_time()
    found += [Finding(-1, -1, False, words) for words in broken_laws(program, episodes)]
    seconds["laws"] = time.process_time() - start
    statements, used = tally(program)
    return {
        "program": program.name,
        "steps": COPIES * STEPS,
        "disagreements": [f"t={f.t} copy={f.copy} {f.words}"[:400] for f in found if not f.tie],
        "ties": [f"t={f.t} copy={f.copy} {f.words}"[:400] for f in found if f.tie],
        "statements": statements,
        "builtins": dict(used),
        "float_free": not has_floats(program),
        "faults": int(episodes.states[-1].fault.sum()),
        "ended": int((episodes.states[-1].outcome > 0).sum()),
        "modes": modes,
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
    }


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """All programs together."""
    randoms = [line for line in lines if line["program"].startswith("random-")]
    used = collections.Counter[str]()
    seconds = collections.Counter[str]()
    for line in randoms:
        used.update(line["builtins"])
    for line in lines:
        seconds.update(line["seconds"])
    sizes = [line["statements"] for line in randoms]
    count = lambda key: sum(bool(line[key]) for line in lines)  # noqa: E731
    return {
        "random_programs": len(randoms),
        "bundled_programs": len(lines) - len(randoms),
        "programs_by_mode": {m: sum(m in line["modes"] for line in lines) for m in MODES},
        "steps_by_oracle_and_each_mode": sum(line["steps"] for line in lines),
        "disagreeing_programs": count("disagreements"),
        "disagreements": [
            [line["program"], *line["disagreements"][:2]] for line in lines if line["disagreements"]
        ],
        "ties": sum(len(line["ties"]) for line in lines),
        "float_free_programs": count("float_free"),
        "programs_with_faults": count("faults"),
        "programs_that_ended": count("ended"),
        "refused_by_the_check": sum(line["refused"] for line in lines),
        "median_statements": statistics.median(sizes) if sizes else None,
        "builtins": {name: used[name] for name in TABLE},
        "seldom_used": {name: used[name] for name in TABLE if used[name] < 50},
        "cpu_seconds": {name: round(value, 1) for name, value in seconds.items()},
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.agreement",
        description="Compare oracle, NumPy and JAX on random and bundled programs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--programs", type=int, default=2000, help="random programs (2000)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one (0)")
    parser.add_argument("--shard", default="0/1", help="i/n: only every n-th program, from i")
    parser.add_argument(
        "--log", action="append", default=[], help="JSON lines; the first is added to"
    )
    parser.add_argument("--no-bundled", action="store_true", help="random programs only")
    parser.add_argument("--no-jax", action="store_true", help="oracle and NumPy only")
    parser.add_argument(
        "--eager-every",
        type=int,
        default=1,
        metavar="N",
        help="eager and jitted step on every N-th random program alone, which saves half the time",
    )
    parser.add_argument("--optimized", action="store_true", help="with all of XLA's optimisations")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    options = parser.parse_args(argv)
    try:
        shard, shards = map(int, options.shard.split("/"))
        if not 0 <= shard < shards:
            raise ValueError
    except ValueError:
        parser.error(f"--shard {options.shard}: i/n with 0 <= i < n is needed, such as 0/2")
    # what is compared is meaning, not speed: compiling is nearly all of the time that this takes
    if not options.no_jax:
        jax.config.update("jax_disable_most_optimizations", not options.optimized)
    lines: dict[str, dict[str, Any]] = {}
    for log in map(pathlib.Path, options.log):
        if log.exists():
            kept = [json.loads(text) for text in log.read_text().splitlines()]
            lines |= {line["program"]: line for line in kept}
    jobs: list[tuple[str, int | pathlib.Path]] = [
        (f"random-{seed}", seed) for seed in range(options.first, options.first + options.programs)
    ]
    if not options.no_bundled:
        jobs = [(f"{p.parent.name}/{p.stem}", p) for p in bundled()] + jobs
    mine = [
        (name, what, missing)
        for i, (name, what) in enumerate(jobs)
        if i % shards == shard
        and (missing := _missing(lines.get(name), _wanted(what, options))) is not None
    ]
    most = MOST_BYTES
    for done, (name, what, modes) in enumerate(mine, start=1):
        if isinstance(what, int):
            program, refused = program_of(what)
        else:
            program, refused = load(what), 0
        seed = what if isinstance(what, int) else 0
        line = examine(program, seed, modes=modes)
        line |= {"program": name, "refused": refused}
        if name in lines:
            line = _together(lines[name], line)
        lines[name] = line
        if options.log:
            with open(options.log[0], "a") as handle:
                handle.write(json.dumps(line) + "\n")
        if line["disagreements"]:
            print(f"{name}: {line['disagreements'][0]}", file=sys.stderr)
        if done % 20 == 0 or done == len(mine):
            bad = sum(bool(line["disagreements"]) for line in lines.values())
            cpu = time.process_time()
            print(f"{done}/{len(mine)}: {bad} disagree, {cpu:.0f} CPU s", file=sys.stderr)
        if psutil.Process().memory_info().rss > most:
            jax.clear_caches()
            # what is freed does not all go back to the system: do not clear after every program
            most = max(most, psutil.Process().memory_info().rss + MORE_BYTES)
    wanted = {name for name, _ in jobs}
    result = summary([line for name, line in lines.items() if name in wanted])
    print(json.dumps(result, indent=2) if options.json else _words(result))
    return 1 if result["disagreeing_programs"] else 0


def _wanted(what: int | pathlib.Path, options: argparse.Namespace) -> tuple[str, ...]:
    """The modes in which JAX is to be asked about a job."""
    if options.no_jax:
        return ()
    every = options.eager_every if isinstance(what, int) else 1
    return tuple(
        mode for mode in MODES if mode == "vmap of scan" or every <= 1 or what % every == 0
    )


def _missing(line: dict[str, Any] | None, wanted: tuple[str, ...]) -> tuple[str, ...] | None:
    """The modes still to be asked, None where the log has them all."""
    if line is None:
        return wanted
    return tuple(mode for mode in wanted if mode not in line["modes"]) or None


def _together(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The line of a program that is asked again in further modes."""
    modes = tuple(mode for mode in MODES if mode in (*old["modes"], *new["modes"]))
    found = {key: list(dict.fromkeys((*old[key], *new[key]))) for key in ("disagreements", "ties")}
    return new | found | {"modes": modes, "seconds": old["seconds"] | new["seconds"]}


def _words(result: dict[str, Any]) -> str:
    keys = ("random_programs", "bundled_programs", "disagreeing_programs", "ties")
    return ", ".join(f"{key.replace('_', ' ')} {result[key]}" for key in keys)
