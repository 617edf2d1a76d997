"""What a collection covers, and where its receipts are no longer true."""

from __future__ import annotations

import collections
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from envs_dsl.language.vocabulary import SKILLS
from spade_jax.collecting.gates import Judged
from spade_jax.generator.corpus import Entry, rejected
from spade_jax.types import Stage

__all__ = ["coverage", "differences"]


def coverage(collection: Sequence[Entry]) -> dict[str, Any]:
    """Counts by skill and theme, spread of the recorded success, distances, what was rejected."""
    skills = collections.Counter(s for e in collection for s in e.skills)
    success = np.asarray([e.success for e in collection])
    points = np.asarray([e.features for e in collection])
    nearest = np.full(len(collection), np.inf)
    for i in range(len(collection)):
        gaps = np.sqrt(np.mean((np.delete(points, i, axis=0) - points[i]) ** 2, axis=1))
        nearest[i] = gaps.min(initial=np.inf)
    some = len(collection) > 1
    return {
        "count": len(collection),
        "skills": {s: skills[s] for s in SKILLS},
        "themes": len({e.theme for e in collection}),
        "models": dict(collections.Counter(str(e.receipt.get("model")) for e in collection)),
        "success": {
            "below 0.1": int((success < 0.1).sum()),
            "0.1 to 0.9": int(((success >= 0.1) & (success <= 0.9)).sum()),
            "above 0.9": int((success > 0.9).sum()),
        },
        "nearest": {
            "least": round(float(nearest.min()), 4) if some else None,
            "median": round(float(np.median(nearest)), 4) if some else None,
        },
        "rejected": dict(collections.Counter(str(r.get("reason")) for _, r in rejected())),
    }


def differences(judged: Judged, entry: Entry, policy: str) -> list[str]:
    """What a receipt says and what was found, where they are not the same."""
    if judged.verdict.stages and judged.verdict.stages[-1].name is not Stage.PROBE:
        return []  # it failed, which is said already
    found = judged.found()
    same = dict(entry.receipt.get("probe", {})).pop("policy", "") == policy
    kept = ["program", "skeleton", "behaviour", "skills", "triviality", "certificate", "features"]
    told = [f"{key}: {_brief(entry.receipt.get(key))} on record, {_brief(found.get(key))} found"
            for key in kept if entry.receipt.get(key) != found.get(key)]  # fmt: skip
    if same and entry.success != found["probe"]["success"]:
        told.append(f"probe: {entry.success} on record, {found['probe']['success']} found")
    return told


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:59] + "…"
