"""The gates that a program of the collection must pass: the executor's, and being unlike others."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spade_jax import skills
from spade_jax.collecting.neighbours import Known, Neighbours
from spade_jax.executor import ExecutorConfig, Request, Sandbox
from spade_jax.types import Reason, Stage, Verdict

__all__ = ["Judged", "judge", "policy_name"]


@dataclasses.dataclass(frozen=True)
class Judged:
    """One text and what the gates said.

    Attributes:
      name, source: as given. verdict: the executor's, its probe played by the policy asked for.
      reason: ``Reason.OK``, or of the first gate that was not passed. error: one line, "" when ok.
      nearest, distance: the known program that plays most alike ("" and infinite without any).
    """

    name: str
    source: str
    verdict: Verdict
    reason: Reason
    error: str
    nearest: str
    distance: float

    @property
    def ok(self) -> bool:
        """It passed every gate."""
        return self.reason is Reason.OK

    def known(self) -> Known:
        """As something that others must be unlike."""
        v = self.verdict
        features = tuple(round(x, 4) for x in v.features)
        return Known(self.name, v.program_hash, v.skeleton_hash, v.behaviour_hash, features)

    def found(self) -> dict[str, Any]:
        """What goes into the receipt: identities, skills, probe and the stages' answers, without
        anything that depends on a clock or on what else is in the collection."""
        verdict, detail = self.verdict, {s.name: s.detail for s in self.verdict.stages}
        record: dict[str, Any] = {
            "program": verdict.program_hash,
            "skeleton": verdict.skeleton_hash,
            "behaviour": verdict.behaviour_hash,
        }
        if Stage.COST in detail:
            record["cost"] = dict(detail[Stage.COST])
        if Stage.BEHAVIOUR in detail:
            declared = detail[Stage.BEHAVIOUR].get("skills", {}).get("declared", ())
            record["skills"] = list(skills.tags(verdict, declared))
            record["declared"] = list(declared)
        if Stage.TRIVIALITY in detail:
            rates = detail[Stage.TRIVIALITY]["rates"]
            record["triviality"] = {k: round(v, 4) for k, v in rates.items()}
        if Stage.CERTIFICATE in detail:
            found = detail[Stage.CERTIFICATE]
            record["certificate"] = {k: found[k] for k in ("answer", "lengths")}
        if Stage.TRACE in detail:
            record["equations"] = detail[Stage.TRACE]["equations"]
        if verdict.episodes:
            record["probe"] = {
                "success": round(verdict.successes / verdict.episodes, 4),
                "episodes": verdict.episodes,
                "mean_length": round(detail[Stage.PROBE]["mean_length"], 2),
            }
        record["stability"] = round(verdict.stability, 4)
        record["features"] = [round(x, 4) for x in verdict.features]
        return record


def judge(
    texts: Mapping[str, str],
    neighbours: Neighbours,
    policy: Path | None = None,
    workers: int = 1,
    until: Stage = Stage.PROBE,
    grow: bool = True,
) -> list[Judged]:
    """Put texts through all gates, in their order.

    Args:
      texts: name → program text.
      neighbours: what each must be unlike; a member of the same name is the text itself.
      policy: file of the policy that the probe is played with; random play without one.
      workers: sandbox processes. until: the last stage of the executor.
      grow: what passes is added to ``neighbours``, so that of two alike the later one fails.
    """
    judged: list[Judged] = []
    with Sandbox(ExecutorConfig(workers=max(1, min(workers, len(texts))), nice=0)) as box:
        futures = {
            name: box.submit(
                Request(text, id=name, policy=None if policy is None else str(policy), until=until)
            )
            for name, text in texts.items()
        }
        for name, future in futures.items():
            verdict = future.result()
            reason, error = verdict.reason, verdict.error
            nearest, distance = neighbours.nearest(verdict.features, name)
            clash = neighbours.clash(verdict, name) if verdict.ok and verdict.features else None
            if clash is not None:
                reason, error = clash
            found = Judged(name, texts[name], verdict, reason, error, nearest, distance)
            if grow and found.ok:
                neighbours.add(found.known())
            judged.append(found)
    return judged


def policy_name(policy: Path | None) -> str:
    """How receipts call a policy: by the hash of its file."""
    if policy is None:
        return "random play"
    return "sha256:" + hashlib.sha256(policy.read_bytes()).hexdigest()[:16]
