"""``check``: the whole collection through every gate again, and what it covers."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments._cli import parse
from spade_jax.collecting import (
    coverage,
    differences,
    judge,
    known_of,
    library_neighbours,
    policy_name,
)
from spade_jax.errors import UserError, unknown_name
from spade_jax.generator.corpus import Entry, entries

__all__ = ["ABOUT", "Options", "main"]

ABOUT = """\
Examine the bundled collection again: every gate of the executor in sandbox workers, behaviour
distances among all of it and to the bundled seeds, games and ports, and whether the receipts still
say what is found. A hundred programs take some ten minutes of one core.

Examples:
  python -m experiments.corpus check
  python -m experiments.corpus check --only can_press shared_track
  python -m experiments.corpus check --policy runs/a/coevo/policy.npz --workers 2 --json
"""


@dataclasses.dataclass(frozen=True)
class Options:
    only: tuple[str, ...] = ()
    """Names of programs to examine (all)."""
    policy: Path | None = None
    """Policy file for the probe (random play); compared with the receipts' if it is theirs."""
    workers: int = 1
    """Sandbox processes, one core each."""
    json: bool = False
    """Print one JSON document."""


def main(argv: Sequence[str]) -> int:
    """Run the command; 0 if all passes and every receipt holds, else 1."""
    options, _ = parse(Options(), argv, prog="python -m experiments.corpus check", about=ABOUT)
    if options.policy is not None and not options.policy.is_file():
        raise UserError(f"no policy file {options.policy}")
    chosen = _chosen(options.only)
    # All the others stand before the first is judged, so that each is compared with all.
    neighbours = library_neighbours()
    for entry in entries():
        neighbours.add(known_of(entry.name, entry.receipt))
    judged = judge(
        {e.name: e.source for e in chosen},
        neighbours,
        options.policy,
        options.workers,
        grow=False,
    )
    lines = [
        {
            "name": j.name,
            "ok": j.ok,
            "reason": j.reason.value,
            "error": j.error,
            "differs": differences(j, e, policy_name(options.policy)),
            "nearest": j.nearest,
            "distance": None if math.isinf(j.distance) else round(j.distance, 4),
        }
        for e, j in zip(chosen, judged, strict=True)
    ]
    good = all(line["ok"] and not line["differs"] for line in lines)
    document = {"ok": good, **coverage(entries()), "programs": lines}
    print(json.dumps(document, indent=1) if options.json else _table(document))
    return 0 if good else 1


def _chosen(only: Iterable[str]) -> list[Entry]:
    by_name = {e.name: e for e in entries()}
    for name in only:
        if name not in by_name:
            raise unknown_name("program", name, by_name, where="the collection")
    return [by_name[n] for n in dict.fromkeys(only)] or list(by_name.values())


def _table(document: Mapping[str, Any]) -> str:
    lines = []
    for line in document["programs"]:
        state = "ok" if line["ok"] else f"{line['reason']}: {line['error']}"
        lines.append(f"{line['name']:<20} {state}; nearest {line['nearest']} {line['distance']}")
        lines += [f"    {text}" for text in line["differs"]]
    lines.append("")
    lines += [
        f"{key}: {json.dumps(value)}"
        for key, value in document.items()
        if key not in ("ok", "programs")
    ]
    failed = sum(not line["ok"] or bool(line["differs"]) for line in document["programs"])
    lines.append(f"{len(document['programs'])} examined, {failed} not as they should be")
    return "\n".join(lines)
