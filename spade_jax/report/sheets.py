"""The programs that a person is asked to look at, each with everything that is known of it."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from envs_dsl import Program, ProgramError
from spade_jax.audit import HeededVerdict, PersonVerdict, read_heeded, read_verdicts, sample
from spade_jax.report.provenance import provenance
from spade_jax.report.run_folder import Run
from spade_jax.report.summary import entries

__all__ = ["Sheet", "sheets"]


@dataclasses.dataclass(frozen=True)
class Sheet:
    """One program for a person to judge.

    Attributes:
      round: in which it was admitted. program_hash, name, doc, source, skills: of the program.
      provenance: rows of where it came from. stages: rows (stage, seconds, what was found).
      success: of the policy in the probe, and episodes. score: the curator's rank.
      verdict: the person's last word, None before there is one. heeded: that it was removed.
    """

    round: int
    program_hash: str
    name: str
    doc: str
    source: str
    skills: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    stages: tuple[tuple[str, str, str], ...]
    success: tuple[int, int]
    score: float | None
    verdict: PersonVerdict | None
    heeded: HeededVerdict | None
    candidate: Mapping[str, Any]

    @property
    def status(self) -> str:
        """Where it stands, in words."""
        if self.heeded is not None:
            return f"rejected; removed in round {self.heeded.round}"
        if self.verdict is None:
            return "waits for a verdict"
        return "rejected; to be removed" if self.verdict.rejected else "approved"


def sheets(run: Run) -> list[Sheet]:
    """The sample of every round so far, in the order of rounds.

    Raises:
      RecordError: the audit's own files are damaged.
    """
    admitted: dict[int, list[str]] = defaultdict(list)
    candidates: dict[str, Mapping[str, Any]] = {}
    for line in run.candidates:
        if line["admitted"]:
            key = line["verdict"]["program_hash"]
            admitted[int(line["proposal"].get("round", 0))].append(key)
            candidates[key] = line
    verdicts, heeded = read_verdicts(run.path), read_heeded(run.path)
    known = entries(run)
    names = {key: str(entry["name"]) for key, entry in known.items()}
    found = []
    for round, drawn in sample(admitted, run.seed).items():
        for key in drawn:
            candidate, entry = candidates[key], known.get(key, {})
            found.append(
                Sheet(
                    round=round,
                    program_hash=key,
                    name=names.get(key, key),
                    doc=_doc(candidate["proposal"]["source"]),
                    source=candidate["proposal"]["source"],
                    skills=tuple(entry.get("skills", ())),
                    provenance=tuple(provenance(candidate["proposal"], names)),
                    stages=tuple(_stages(candidate["verdict"]["stages"])),
                    success=(candidate["verdict"]["successes"], candidate["verdict"]["episodes"]),
                    score=candidate.get("score"),
                    verdict=verdicts.get(key),
                    heeded=heeded.get(key),
                    candidate=candidate,
                )
            )
    return found


def _doc(source: str) -> str:
    try:
        return Program.from_source(source).doc
    except ProgramError:  # written by another version of the language
        return ""


def _stages(stages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    rows = []
    for stage in stages:
        text = ", ".join(f"{k} {json.dumps(v)}" for k, v in stage["detail"].items())
        text = text if len(text) <= 600 else f"{text[:600]}…"
        rows.append((str(stage["name"]), f"{stage['seconds']:.2f}", text))
    return rows
