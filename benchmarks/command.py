"""The command line that all benchmarks share: ``--json``, ``--tiny``, ``--repeats``.

    def main(argv: Sequence[str] | None = None) -> int:
        parser = command.parser("pool", __doc__)
        parser.add_argument("--copies", …)                 # its own settings
        options = parser.parse_args(argv)
        return command.finish(measure(…), options)

    if __name__ == "__main__":
        sys.exit(main())

``--tiny`` is for smoke tests: the benchmark's smallest sizes, seconds in all, figures that mean
nothing (``Report.tiny``). The exit code is 1 where a bar is missed, 0 at tiny sizes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figures import bar_rows, columns, is_figures, number
from benchmarks.report import Report, document
from benchmarks.timing import REPEATS

__all__ = ["finish", "parser", "progress"]


def parser(name: str, doc: str | None) -> argparse.ArgumentParser:
    """A parser of ``python -m benchmarks.NAME`` with the flags that all of them have."""
    made = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--json", action="store_true", help="one JSON document on stdout")
    made.add_argument("--tiny", action="store_true", help="smallest sizes: does it run at all?")
    made.add_argument(
        "--repeats", type=int, default=REPEATS, metavar="N", help=f"of each timing ({REPEATS})"
    )
    return made


def finish(report: Report, options: argparse.Namespace) -> int:
    """Print a report as its options say; the command's exit code."""
    if options.json:
        print(json.dumps(document(report), indent=2))
    else:
        _show(report)
    return int(not report.tiny and any(bar.met is False for bar in report.bars))


def progress(text: str) -> None:
    """A line on stderr for somebody who waits."""
    print(text, file=sys.stderr, flush=True)


def _show(report: Report) -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    for title, rows in report.tables.items():
        _table(console, title, rows)
    if report.bars:
        _table(console, "bars", bar_rows(document(report)["bars"]))
    for note in report.notes:
        console.print(f"note: {note}", markup=False, highlight=False)


def _table(console: Console, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns(rows):
        table.add_column(column, justify="right" if is_figures(rows, column) else "left")
    for row in rows:
        table.add_row(*(number(row.get(column)) for column in columns(rows)))
    console.print(table)
