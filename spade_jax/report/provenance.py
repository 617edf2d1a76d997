"""Where a program came from, as rows for a person: who wrote it, from what idea, by what prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spade_jax.report.run_folder import Run

__all__ = ["provenance", "receipts"]

_FIRST = (
    *("model", "revision", "idea", "theme", "name", "operators", "hole", "repairs", "salvaged"),
    *("prompt.version", "prompt.hash", "prompt", "sampling", "prompt_tokens", "completion_tokens"),
    *("seconds", "aim", "steps"),
)
"""Parts of a receipt that people look for first, in this order; the others follow by name."""

_LEFT_OUT = ("choices", "ensemble", "prompt.aim", "prompt.parts")
"""Shown for the run as a whole, said twice, or of no use to a person."""

_LONGEST = 400
_MOST = 60


def receipts(run: Run) -> dict[str, Mapping[str, Any]]:
    """The proposal of each admitted program, by program hash."""
    return {
        c["verdict"]["program_hash"]: c["proposal"]
        for c in reversed(run.candidates)
        if c["admitted"]
    }


def provenance(
    proposal: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """Rows (what, value) of a proposal and its receipt.

    All of it may be a model's words: it is text, cut where it is long, and nothing is made of it.

    Args:
      proposal: ``types.Proposal`` as JSON values. names: short names of parents, by program hash.
    """
    names = names or {}
    parents = [f"{names[p]} ({p})" if p in names else p for p in proposal["parents"]]
    rows = [
        ("proposal", proposal["id"]),
        ("generator", proposal["generator"]),
        ("operator", proposal["operator"]),
        ("parents", ", ".join(parents) or "none"),
    ]
    receipt = proposal.get("receipt")
    found = [
        (key, _cut(value))
        for key, value in _flat(receipt or {})
        if value and not any(_within(key, part) for part in _LEFT_OUT)
    ]
    return [(key, _cut(value)) for key, value in rows] + sorted(found, key=_rank)[:_MOST]


def _rank(row: tuple[str, str]) -> tuple[int, str]:
    places = (place for place, part in enumerate(_FIRST) if _within(row[0], part))
    return next(places, len(_FIRST)), row[0]


def _within(key: str, part: str) -> bool:
    return key == part or key.startswith(f"{part}.")


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _flat(part, f"{key}.{name}" if key else str(name))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(part, str | int | float | None) for part in value):
            yield key, ", ".join(map(str, value))
        else:
            for number, part in enumerate(value, start=1):
                yield from _flat(part, f"{key}.{number}")
    elif value not in (None, ""):
        yield key, str(value)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
