"""Where a program came from, as rows for a person: who wrote it, from what idea, by what prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spade_jax.report.run_folder import Run

__all__ = ["provenance", "receipts"]

_FIRST = (
    *("model", "revision", "backend", "idea", "theme", "skills", "edit", "operators"),
    *("repair", "repairs", "rounds", "prompt", "prompts", "sampling", "tokens", "seconds"),
)
"""Parts of a receipt that people look for first, in this order; the others follow by name."""

_LEFT_OUT = ("choices", "ensemble")  # shown for the run as a whole
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
    kept = {k: v for k, v in receipt.items() if k not in _LEFT_OUT} if receipt else {}
    found = [(key, _cut(value)) for key, value in _flat(kept)]
    return [(key, _cut(value)) for key, value in rows] + sorted(found, key=_rank)[:_MOST]


def _rank(row: tuple[str, str]) -> tuple[int, str]:
    parts = row[0].split(".")
    known = [_FIRST.index(part) for part in parts if part in _FIRST]
    return min(known, default=len(_FIRST)), row[0]


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
