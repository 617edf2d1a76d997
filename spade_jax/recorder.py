"""What a run writes down: one JSON line an iteration, a candidate, a pool change, a measurement.

``metrics.jsonl`` holds numbers over time, ``events.jsonl`` what happened to programs. The same
records go to whoever watches (``on_event``), so that the display can show nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from envs_dsl.metadata import write_header
from spade_jax.predictor import Prediction
from spade_jax.records import Journal, write_atomic
from spade_jax.types import Evaluation, Outcome, PoolEntry, PoolEvent, PoolEventKind, to_json

__all__ = ["ASIDE", "OnEvent", "Recorder", "program_text"]

OnEvent = Callable[[str, Mapping[str, Any]], None]

ASIDE = "beside the run: "
"""Begins a warning of what no result depends on; a replay may have others."""


class Recorder:
    """Journals of one run folder; ``offsets`` are checkpointed and cut them back on resume."""

    def __init__(
        self, folder: Path, on_event: OnEvent, offsets: Mapping[str, int] | None = None
    ) -> None:
        """``offsets``: lengths of the journals at the checkpoint that is gone on from."""
        self._folder = folder
        self._on_event = on_event
        offsets = offsets or {"metrics": 0, "events": 0}
        self._metrics = Journal(folder / "metrics.jsonl", offsets["metrics"])
        self._events = Journal(folder / "events.jsonl", offsets["events"])
        (folder / "programs").mkdir(exist_ok=True)

    def metric(self, kind: str, **values: Any) -> None:
        """A line of ``metrics.jsonl``: kind "iteration", "round" or "heldout"."""
        self._metrics.write({"kind": kind, **values})
        self._on_event(kind, values)

    def candidate(self, round: int, outcome: Outcome) -> None:
        """A candidate's whole record; rejected ones keep source and receipt."""
        record = {"round": round, **to_json(outcome)}
        self._events.write({"kind": "candidate", **record})
        self._on_event("candidate", record)

    def prediction(self, round: int, outcome: Outcome, expected: Prediction) -> None:
        """What the predictor expected of a candidate, and whether it was probed."""
        record = {
            "round": round,
            "proposal_id": outcome.proposal.id,
            "probed": outcome.verdict.episodes > 0,
            **to_json(expected),
        }
        self._events.write({"kind": "prediction", **record})
        self._on_event("prediction", record)

    def pool_change(self, event: PoolEvent, entry: PoolEntry) -> None:
        """A pool change; a program that enters is also written to ``programs/``."""
        record = {"event": to_json(event), "name": entry.name}
        if event.kind is PoolEventKind.ADMIT:
            self._write_program(entry)
            record["program"] = to_json(entry)
        self._events.write({"kind": "pool", **record})
        self._on_event("pool", record)

    def evaluation(self, round: int, evaluation: Evaluation) -> None:
        """A success measurement of one program."""
        record = {"round": round, **to_json(evaluation)}
        self._events.write({"kind": "evaluation", **record})
        self._on_event("evaluation", record)

    def say(self, text: str, *, warning: bool = False) -> None:
        """A line for the person who watches; warnings are recorded as well."""
        kind = "warning" if warning else "message"
        if warning:
            self._events.write({"kind": kind, "text": text})
        self._on_event(kind, {"text": text})

    def offsets(self) -> dict[str, int]:
        """Journal lengths, after forcing them to the disk."""
        return {"metrics": self._metrics.sync(), "events": self._events.sync()}

    def close(self) -> None:
        """Close both journals."""
        self._metrics.close()
        self._events.close()

    def _write_program(self, entry: PoolEntry) -> None:
        path = self._folder / "programs" / f"{entry.program_hash}.py"
        write_atomic(path, program_text(entry))


def program_text(entry: PoolEntry) -> str:
    """A program as a file of ``programs/``: its text under a header of where it came from."""
    success = "unmeasured" if entry.success is None else f"{entry.success:.3f}"
    header = {
        "env_id": entry.name,
        "generation_round": entry.round_admitted,
        "parent_env": ",".join(entry.parents) or "none",
        "operator": entry.operator,
        "success_rate": success,
        "tags": ",".join(entry.skills) or "none",
        "program_hash": entry.program_hash,
        "skeleton_hash": entry.skeleton_hash,
        "behaviour_hash": entry.behaviour_hash or "none",
    }
    return write_header(entry.source, header)
