"""What a benchmark found: tables, bars, settings; and the JSON document that every one prints.

    {"benchmark": "pool", "tiny": false,
     "machine": {"device", "devices", "cpu", "cpus", "load", "python", "xla_flags", "commit"},
     "versions": {"jax": …, "gymnax": …},
     "settings": {…},
     "tables": {"title": [{column: number or text, …}, …]},
     "bars": [{"name", "value", "bar", "unit", "at_least", "met"}],
     "plots": [{"title", "table", "x", "y", "by", "log", "band"}],
     "notes": ["one line on what could not be measured", …]}

``python -m benchmarks.page`` makes the tables of docs/performance.md from these documents, whatever
benchmark they are of, and its plots from the columns of their tables.
"""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from spade_jax import versions

__all__ = ["Bar", "Plot", "Report", "at_least", "at_most", "document"]


@dataclasses.dataclass(frozen=True)
class Bar:
    """A figure that is promised: ``value`` against ``bar``; a value of None was not measured.

    ``at_least``: the value must not lie below the bar; otherwise, not above it.
    """

    name: str
    value: float | None
    bar: float
    unit: str
    at_least: bool

    @property
    def met(self) -> bool | None:
        """None where nothing was measured."""
        if self.value is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar


def at_least(name: str, value: float | None, bar: float, unit: str = "×") -> Bar:
    """A bar that the value must reach."""
    return Bar(name, value, bar, unit, at_least=True)


def at_most(name: str, value: float | None, bar: float, unit: str = "s") -> Bar:
    """A bar that the value must not pass."""
    return Bar(name, value, bar, unit, at_least=False)


@dataclasses.dataclass(frozen=True)
class Plot:
    """Columns of a table as a picture: lines where ``x`` holds numbers, else bars.

    Attributes:
      table: its title. x, y: columns. by: column whose values get a line each. log: both axes of
        lines, the length of bars. band: where ``x`` and ``y`` are lists, a line for each row:
        columns of lists too, the lower and the upper end of what is shaded about it.
    """

    title: str
    table: str
    x: str
    y: str
    by: str | None = None
    log: bool = False
    band: tuple[str, str] | None = None


@dataclasses.dataclass(frozen=True)
class Report:
    """What one benchmark found.

    Attributes:
      benchmark: its name. settings: sizes it ran at, JSON.
      tables: title → rows, column → number, text or None (a column of lists is not shown).
      bars: what is promised. plots: pictures of the tables.
      peers: distributions measured beside ours, for their versions.
      notes: one line each: peers that could not be imported, limits of a figure.
      tiny: sizes that only show that it runs; no figure means anything.
    """

    benchmark: str
    settings: Mapping[str, Any]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    bars: Sequence[Bar] = ()
    peers: Sequence[str] = ()
    notes: Sequence[str] = ()
    tiny: bool = False
    plots: Sequence[Plot] = ()


def document(report: Report) -> dict[str, Any]:
    """The JSON document of a report, with the machine and the versions it was made with."""
    names = ("jax", "jaxlib", "numpy", "flax", "optax", *report.peers)
    return {
        "benchmark": report.benchmark,
        "tiny": report.tiny,
        "machine": _machine(),
        "versions": {name: version for name in names if (version := versions.version_of(name))},
        "settings": dict(report.settings),
        "tables": {title: [dict(row) for row in rows] for title, rows in report.tables.items()},
        "bars": [{**dataclasses.asdict(bar), "met": bar.met} for bar in report.bars],
        "plots": [dataclasses.asdict(plot) for plot in report.plots],
        "notes": list(report.notes),
    }


def _machine() -> dict[str, Any]:
    import jax

    devices = jax.devices()
    return {
        "device": devices[0].device_kind,
        "devices": len(devices),
        "cpu": versions.processor(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
        "commit": versions.commit(),
    }
