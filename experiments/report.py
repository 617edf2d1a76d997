"""Write the report of a run: one HTML page that needs nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from experiments._cli import parse, run_command
from spade_jax.report import read_run
from spade_jax.report.page import write_report

ABOUT = """\
Write a run's report.html: held-out curve, funnel, difficulty of the pool, training curves, the
pool's programs. It may be written while the run goes on.

Examples:
  python -m experiments.report runs/a/coevo
  python -m experiments.report runs/a/coevo --baseline runs/a/fixed --out report.html
"""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder."""
    baseline: Path | None = None
    """Run folder of the baseline, drawn beside the held-out curve."""
    out: Path | None = None
    """File to write (default: report.html in the run folder)."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(_DEFAULTS, argv, prog="python -m experiments.report", about=ABOUT)
    run = read_run(options.run)
    baseline = read_run(options.baseline) if options.baseline else None
    print(write_report(run, baseline, options.out))
    return 0


_DEFAULTS = Options(tyro.MISSING)

if __name__ == "__main__":
    run_command(main)
