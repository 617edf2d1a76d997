"""Everything that is worth knowing on a machine with an accelerator, in one command of six minutes.

    python -m benchmarks.device [--seconds 350] [--out device.json] [--only rollout pool …] [--json]

Runs the benchmarks rollout, pool, ppo and compile, then a co-evolution of two minutes, each in a
process of its own with a limit of time: what fails or takes too long is a line in the table, and
the rest goes on. ``--out`` is written anew after each part, so that nothing is lost.

The co-evolution is that of ``--preset`` (gpu), stopped like with Ctrl-C when its time is over;
what is told is read from its records. A cold cache is used for compiled code: its first minute
shows what a user's first run costs. The exit code is 1 when a part failed, whatever the figures.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks import command
from benchmarks.report import Bar, Report, document
from spade_jax.records import read_jsonl, write_atomic

__all__ = ["PARTS", "Part", "coevolution_rows", "main", "measure", "run"]

COEVOLUTION = "co-evolution"


@dataclasses.dataclass(frozen=True)
class Part:
    """A benchmark to run.

    Attributes:
      name: of the module. arguments: besides --json, at sizes that keep an accelerator busy.
      seconds: after which it is stopped.
    """

    name: str
    arguments: tuple[str, ...]
    seconds: float


PARTS = (
    Part("rollout", ("--copies", "16384", "--repeats", "3", "--only", "empty", "four_rooms"), 60),
    Part("pool", ("--programs", "8", "--copies", "8192", "--repeats", "3"), 75),
    Part("ppo", ("--repeats", "3"), 60),
    Part("compile", ("--repeats", "1"), 60),
)
COEVOLUTION_SECONDS = 120.0
LAST_WORDS = 15.0  # for a process that was asked to stop


def run(words: Sequence[str], seconds: float, folder: pathlib.Path, name: str) -> tuple[int, str]:
    """A command of this Python: (exit code, standard output), its errors in ``folder``.

    After ``seconds`` it is interrupted as with Ctrl-C, and killed if it does not end by itself.
    Nothing that it started is left running.
    """
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", *words],
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            env=os.environ | {"XDG_CACHE_HOME": str(folder / "cache")},
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(LAST_WORDS)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, out.read_text(encoding="utf-8", errors="replace")


def _benchmark(part: Part, seconds: float, folder: pathlib.Path, tiny: bool) -> Report:
    """One benchmark's report, with its tables under its name.

    Raises:
      RuntimeError: it gave none; says why.
    """
    sizes = ("--tiny",) if tiny else part.arguments
    words = (f"benchmarks.{part.name}", *sizes, "--json")
    started = time.perf_counter()
    code, text = run(words, seconds, folder, part.name)
    try:
        found = json.loads(text)
    except ValueError:
        late = time.perf_counter() - started >= seconds
        why = f"stopped after {seconds:.0f} s" if late else _last_line(folder / f"{part.name}.err")
        raise RuntimeError(why or f"no JSON, exit code {code}") from None
    bars = [Bar(**{k: v for k, v in bar.items() if k != "met"}) for bar in found.get("bars", ())]
    return Report(
        part.name,
        found.get("settings", {}),
        {f"{part.name}: {title}": rows for title, rows in found.get("tables", {}).items()},
        [dataclasses.replace(bar, name=f"{part.name}: {bar.name}") for bar in bars],
        notes=[f"{part.name}: {note}" for note in found.get("notes", ())],
    )


def _last_line(path: pathlib.Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _coevolution(preset: str, seconds: float, folder: pathlib.Path, tiny: bool) -> Report:
    """A co-evolution until its time is over.

    Raises:
      RuntimeError: it came to no training iteration.
    """
    run_dir = folder / "run"
    sizes = ("--preset", "smoke", "--rounds", "1") if tiny else ("--preset", preset)
    words = ("experiments.coevo", *sizes, "--run-dir", str(run_dir))
    started = time.perf_counter()
    code, _ = run(words, seconds, folder, COEVOLUTION)
    took = time.perf_counter() - started
    journal = run_dir / "metrics.jsonl"
    rows = coevolution_rows(list(read_jsonl(journal)) if journal.exists() else [], took)
    if not rows:
        raise RuntimeError(_last_line(folder / f"{COEVOLUTION}.err") or f"exit code {code}")
    return Report(COEVOLUTION, {"arguments": list(sizes)}, {COEVOLUTION: rows})


def coevolution_rows(lines: Sequence[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    """What the records of a run say about its speed, one row; none without an iteration.

    The shares of roll-out and update are of the iterations' time, that of training of ``seconds``.
    """
    iterations = [line for line in lines if line["kind"] == "iteration"]
    rounds = [line for line in lines if line["kind"] == "round"]
    if not iterations:
        return []
    spent = sum(line["seconds"] for line in iterations)
    steps = iterations[-1]["env_steps"]
    return [
        {
            "seconds": seconds,
            "iterations": len(iterations),
            "rounds": len(rounds),
            "env_steps": steps,
            "steps_per_second": statistics.median(line["steps_per_s"] for line in iterations),
            "steps_per_second_of_everything": steps / seconds,
            "collect_share": sum(line["collect_seconds"] for line in iterations) / spent,
            "update_share": sum(line["update_seconds"] for line in iterations) / spent,
            "training_share": spent / seconds,
            "compile_seconds": sum(line["compile_seconds"] for line in rounds),
            "wait_seconds": sum(line["wait_seconds"] for line in rounds),
            "admitted": sum(line["admitted"] for line in rounds),
            "device_mb": rounds[-1]["device_mb"] if rounds else None,
        }
    ]


def measure(
    parts: Sequence[Part] = PARTS,
    preset: str | None = "gpu",
    seconds: float = 350.0,
    out: pathlib.Path | None = None,
    tiny: bool = False,
) -> Report:
    """Run the parts, then a co-evolution (unless ``preset`` is None), within ``seconds``."""
    began = time.perf_counter()
    reserved = COEVOLUTION_SECONDS + LAST_WORDS if preset is not None else 0.0
    summary: list[dict[str, Any]] = []
    reports: list[Report] = []

    def whole() -> Report:
        return Report(
            "device",
            {"seconds": seconds, "preset": preset, **{r.benchmark: r.settings for r in reports}},
            {"parts": summary, **{title: t for r in reports for title, t in r.tables.items()}},
            [bar for r in reports for bar in r.bars],
            ("gymnax", "xminigrid", "navix"),
            [note for r in reports for note in r.notes],
            tiny,
        )

    names = [part.name for part in parts] + ([COEVOLUTION] if preset is not None else [])
    with tempfile.TemporaryDirectory(prefix="spade-device-") as scratch:
        folder = pathlib.Path(scratch)
        for number, name in enumerate(names):
            left = seconds - (time.perf_counter() - began)
            command.progress(f"device: {name} ({left:.0f} s left)")
            started, fault = time.perf_counter(), ""
            try:
                if number < len(parts):
                    limit = min(parts[number].seconds, left - reserved)
                    reports.append(_benchmark(parts[number], max(limit, 1.0), folder, tiny))
                else:
                    limit = max(min(COEVOLUTION_SECONDS, left - LAST_WORDS), 1.0)
                    reports.append(_coevolution(preset or "", limit, folder, tiny))
            except Exception as error:  # one failure must not lose the rest
                fault = (str(error).splitlines() or [type(error).__name__])[0]
            took = time.perf_counter() - started
            summary.append({"part": name, "seconds": took, "ok": not fault, "fault": fault})
            if out is not None:
                write_atomic(out, json.dumps(document(whole()), indent=2))
    return whole()


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("device", __doc__)
    names = [part.name for part in PARTS] + [COEVOLUTION]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="parts (all)")
    parser.add_argument("--seconds", type=float, default=350.0, help="for everything (350)")
    parser.add_argument("--preset", default="gpu", help="of the co-evolution (gpu)")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="also write JSON there")
    options: argparse.Namespace = parser.parse_args(argv)
    parts = [part for part in PARTS if part.name in options.only]
    preset = options.preset if COEVOLUTION in options.only else None
    report = measure(parts, preset, options.seconds, options.out, options.tiny)
    command.finish(dataclasses.replace(report, tiny=True) if not options.json else report, options)
    return int(not all(row["ok"] for row in report.tables["parts"]))


if __name__ == "__main__":
    sys.exit(main())
