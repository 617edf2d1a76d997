"""What was found of every text of a folder, kept in a file: nothing is examined twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envs_dsl import check
from spade_jax.collecting.gates import Judged
from spade_jax.records import write_atomic

__all__ = ["Verdicts", "digest"]


class Verdicts:
    """What was found of every text of the folder, kept in a file: nothing is examined twice."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._found = {}

    def reasons(self) -> Mapping[str, Mapping[str, Any]]:
        """Hash of the text → reason, error, diagnostics."""
        return self._found

    def add(self, judged: Judged) -> None:
        """One more."""
        diagnostics = [d.as_json() for d in check(judged.source).diagnostics]
        self._found[digest(judged.source)] = {
            "reason": judged.reason.value,
            "error": judged.error,
            "diagnostics": [d for d in diagnostics if d["severity"] == "error"],
        }
        write_atomic(self._file, json.dumps(self._found, indent=1))

    def of(self, source: str) -> Mapping[str, Any]:
        """What was found of a text; blank where it was never examined."""
        return self._found.get(digest(source), {"reason": "", "error": "", "diagnostics": []})


def digest(source: str) -> str:
    """Of a text, as verdicts are found by."""
    return hashlib.sha256(source.encode()).hexdigest()
