"""Write the report of a run: one HTML page that needs nothing else."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments._cli import parse, run_command
from spade_jax.report import Run, read_run
from spade_jax.report.calibration import calibration
from spade_jax.report.choices import choices
from spade_jax.report.page import write_report
from spade_jax.report.residents import residents
from spade_jax.report.sheets import sheets
from spade_jax.report.summary import funnel, novelty

ABOUT = """\
Write a run's report.html: held-out curve, funnel, what was chosen and what came of it, difficulty
of the pool, training curves, the pool's programs and where they came from. It may be written while
the run goes on.

Examples:
  python -m experiments.report runs/a/coevo
  python -m experiments.report runs/a/coevo --baseline runs/a/fixed --out report.html
  python -m experiments.report runs/a/coevo --json
"""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder."""
    baseline: Path | None = None
    """Run folder of the baseline, drawn beside the held-out curve."""
    out: Path | None = None
    """File to write (default: report.html in the run folder)."""
    json: bool = False
    """Print the report's numbers as one JSON document instead."""


def numbers(run: Run) -> dict[str, Any]:
    """What the page says in numbers: budget, held-out curve, funnel, how new the admitted are,
    what was chosen, how good the predictor was, how residents were played, what a person is asked
    to look at."""
    return {
        "run": run.name,
        "arm": run.arm,
        "seed": run.seed,
        "env_steps": run.env_steps,
        "rounds": [
            {
                key: line[key]
                for key in ("round", "seconds", "wait_seconds", "compile_seconds", "pool_size")
            }
            for line in run.rounds
        ],
        "heldout": [dataclasses.asdict(measured) for measured in run.heldout],
        "funnel": funnel(run.candidates),
        "novelty": dataclasses.asdict(novelty(run)),
        "choices": {
            kind: [{**dataclasses.asdict(c), "proposals": c.proposals} for c in found]
            for kind, found in choices(run).items()
        },
        "calibration": [dataclasses.asdict(c) for c in calibration(run)],
        "residents": [dataclasses.asdict(found) for found in residents(run)],
        "audit": [{"program_hash": s.program_hash, "status": s.status} for s in sheets(run)],
    }


def main(argv: Sequence[str]) -> int:
    options, _ = parse(_DEFAULTS, argv, prog="python -m experiments.report", about=ABOUT)
    run = read_run(options.run)
    if options.json:
        print(json.dumps(numbers(run), indent=1))
        return 0
    baseline = read_run(options.baseline) if options.baseline else None
    print(write_report(run, baseline, options.out))
    return 0


_DEFAULTS = Options(tyro.MISSING)

if __name__ == "__main__":
    run_command(main)
