"""Set finished runs beside one another: final held-out success by arm, with intervals."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from experiments._cli import parse, run_command
from spade_jax.records import write_atomic
from spade_jax.report import Comparison, compare, read_run, to_document
from spade_jax.report.stats import Interval

ABOUT = """\
Compare finished runs: final held-out success by arm and by family, the difference paired by
seed, and the improvement over the untrained policy. Intervals: 95 % bootstrap over runs.

Examples:
  python -m experiments.compare runs/a/coevo runs/a/fixed
  python -m experiments.compare runs/*/coevo runs/*/fixed --plot compare.png
  python -m experiments.compare runs/*/coevo runs/*/fixed --json
"""


@dataclasses.dataclass(frozen=True)
class Options:
    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN ...")]
    """Run folders; they are grouped by arm."""
    json: bool = False
    """Print one JSON document with the raw numbers instead of the table."""
    plot: Path | None = None
    """Write a plot to this file (PNG, SVG or PDF by its ending)."""


def table(comparison: Comparison) -> str:
    """The comparison as text."""
    arms = comparison.arms
    head = ["", *(f"{arm.name} ({len(arm.seeds)})" for arm in arms)]
    rows = [
        ["final success, IQM", *(_cell(arm.iqm) for arm in arms)],
        ["final success, mean", *(_cell(arm.mean) for arm in arms)],
        ["final − untrained", *(_cell(arm.improvement) for arm in arms)],
        ["  same, Student's t", *(_cell(arm.improvement_t) for arm in arms)],
        ["environment steps", *(f"{arm.env_steps:,.0f}" for arm in arms)],
        ["worst family", *(arm.worst for arm in arms)],
        [],
        ["final success by family"],
        *(
            [family, *(_cell(arm.families[family]) for arm in arms)]
            for family in comparison.families
        ),
    ]
    lines = _aligned([head, *rows])
    if comparison.differences:
        lines.append("")
    for difference in comparison.differences:
        lines.append(
            f"{difference.left} − {difference.right}, {len(difference.seeds)} paired "
            f"seed{'s' if len(difference.seeds) != 1 else ''}: "
            f"mean {_cell(difference.mean)}, IQM {_cell(difference.iqm)}"
        )
    lines += [f"note: {warning}" for warning in comparison.warnings]
    return "\n".join(lines)


def _cell(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    if math.isnan(interval.low):
        return f"{interval.value:.3f}"
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows]


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(()), argv, prog="python -m experiments.compare", about=ABOUT)
    runs = [read_run(path) for path in options.runs]
    comparison = compare(runs)
    if options.json:
        print(json.dumps(to_document(comparison, runs), indent=1, allow_nan=False))
    else:
        print(table(comparison))
    if options.plot is not None:
        _plot(comparison, runs, options.plot)
    return 0


def _plot(comparison: Comparison, runs: Sequence, path: Path) -> None:
    import io

    from spade_jax.errors import UserError
    from spade_jax.report.figures import comparison_plot

    kind = path.suffix.lstrip(".").lower()
    if kind not in ("png", "svg", "pdf"):
        raise UserError(f"cannot plot to {path}: the ending must be .png, .svg or .pdf")
    buffer = io.BytesIO()
    comparison_plot(comparison, runs).savefig(buffer, format=kind, dpi=150)
    write_atomic(path, buffer.getvalue())


if __name__ == "__main__":
    run_command(main)
