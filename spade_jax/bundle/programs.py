"""The programs of a run as files and as one list: hashes, verdict, receipt, what became of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spade_jax.recorder import program_text
from spade_jax.report import Run
from spade_jax.report.provenance import receipts
from spade_jax.report.summary import entries
from spade_jax.types import PoolEntry, PoolEventKind, from_json

__all__ = ["FILE", "write_programs"]

FILE = "programs.json"

_STATUS = {
    PoolEventKind.ADMIT: "pool",
    PoolEventKind.RESTORE: "pool",
    PoolEventKind.EVICT: "archive",
    PoolEventKind.QUARANTINE: "quarantined",
}


def write_programs(run: Run, folder: Path) -> dict[str, Any]:
    """Write every program that was ever in the pool, and the list of them, into a folder.

    Returns:
      ``programs``: how many are in which place. ``prompts``: how many of them each version of the
      prompt's texts brought.
    """
    (folder / "programs").mkdir()
    last = {change.program_hash: change for change in run.pool_changes}
    verdicts = {
        c["verdict"]["program_hash"]: c["verdict"]
        for c in reversed(run.candidates)
        if c["admitted"]
    }
    made = receipts(run)
    history: dict[str, list[list[float]]] = {}
    for line in run.evaluations:
        point = [line.get("round", 0), line["successes"], line["episodes"]]
        history.setdefault(line["program_hash"], []).append(point)
    listed = []
    for key, entry in entries(run).items():
        text = program_text(from_json(PoolEntry, entry))
        (folder / "programs" / f"{key}.py").write_text(text, encoding="utf-8")
        listed.append(
            {
                "name": entry["name"],
                "file": f"programs/{key}.py",
                "status": _STATUS[PoolEventKind(last[key].change)],
                "because": last[key].reason,
                **{name: entry[name] for name in _OF_ENTRY},
                "measured": history.get(key, []),
                "proposal": made[key]["id"] if key in made else None,
                "prompt": _prompt(made.get(key, {})),
                "receipt": made[key].get("receipt", {}) if key in made else None,
                "verdict": verdicts.get(key),
            }
        )
    document = {"fields": _FIELDS, "programs": listed}
    (folder / FILE).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    prompts = Counter(f"version {p['version']}, {p['files']}" for e in listed if (p := e["prompt"]))
    return {
        "programs": dict(sorted(Counter(str(e["status"]) for e in listed).items())),
        "prompts": dict(sorted(prompts.items())),
    }


_OF_ENTRY = (
    *("program_hash", "skeleton_hash", "behaviour_hash", "skills", "seed"),
    *("generator", "operator", "parents", "round_admitted"),
)
_FIELDS = {
    "status": "pool, archive or quarantined at the end of the record; because: of what",
    "measured": "round, wins and episodes of each measurement, in order",
    "proposal": "id of the candidate that it was, null for a seed; the others are in events.jsonl",
    "prompt": "version, hash of its texts, and hash of what a model was sent; null where none was",
    "receipt": "what its generator wrote down; verdict: what the executor found, stage by stage",
}


def _prompt(proposal: Mapping[str, Any]) -> dict[str, Any] | None:
    prompt = (proposal.get("receipt") or {}).get("prompt")
    if not isinstance(prompt, Mapping) or "hash" not in prompt:
        return None
    return {key: prompt.get(key) for key in ("version", "files", "hash")}
