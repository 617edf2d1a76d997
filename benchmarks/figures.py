"""Figures as a person reads them, on a terminal and in the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["bar_rows", "columns", "is_figures", "number"]

Rows = Sequence[Mapping[str, Any]]


def number(value: Any) -> str:
    """A figure with three digits that count; – for what was not measured."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def columns(rows: Rows) -> tuple[str, ...]:
    """The columns of a table in order of appearance, lists (which are for plots) left out."""
    names = dict.fromkeys(name for row in rows for name in row)
    plots = {n for n in names if any(isinstance(row.get(n), list | dict) for row in rows)}
    return tuple(name for name in names if name not in plots)


def is_figures(rows: Rows, column: str) -> bool:
    """Whether a column holds numbers alone, and is set to the right."""
    return all(isinstance(row.get(column), int | float | None) for row in rows)


def bar_rows(bars: Rows) -> list[dict[str, Any]]:
    """The bars of a document as the rows of a table."""
    return [
        {
            "bar": bar["name"],
            "asked": f"{'≥' if bar['at_least'] else '≤'} {number(bar['bar'])} {bar['unit']}",
            "value": number(bar["value"]),
            "met": number(bar["met"]),
        }
        for bar in bars
    ]
