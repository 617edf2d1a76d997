"""The gates that a program of the collection must pass: the executor's, and being unlike others."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envs_dsl import library
from envs_dsl.behaviour import FEATURES
from envs_dsl.program import Program
from spade_jax import skills
from spade_jax.curator import CuratorConfig, heldout
from spade_jax.executor import ExecutorConfig, Request, Sandbox
from spade_jax.records import write_atomic
from spade_jax.types import Reason, Stage, Verdict

__all__ = [
    "Judged",
    "Known",
    "Neighbours",
    "judge",
    "known_of",
    "library_neighbours",
    "policy_name",
]

_FOLDERS = ("seeds", "games", "ports")


@dataclasses.dataclass(frozen=True)
class Known:
    """A program that others must be unlike: its identities and behaviour descriptor."""

    name: str
    program: str
    skeleton: str
    behaviour: str
    features: tuple[float, ...]


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


def known_of(name: str, receipt: Mapping[str, Any]) -> Known:
    """What a receipt says of a program, as something that others must be unlike."""
    return Known(
        name,
        receipt["program"],
        receipt["skeleton"],
        receipt["behaviour"],
        tuple(receipt["features"]),
    )


class Neighbours:
    """A growing set of programs that the next one must be unlike."""

    def __init__(self, known: Iterable[Known] = ()) -> None:
        self._known: list[Known] = list(known)

    def add(self, known: Known) -> None:
        """One more."""
        self._known.append(known)

    def nearest(self, features: Sequence[float], but: str = "") -> tuple[str, float]:
        """Name and behaviour distance of the one that plays most alike, ``but`` left out."""
        others = [k for k in self._known if k.name != but and len(k.features) == len(features)]
        if not others or not features:
            return "", math.inf
        gap = np.asarray([k.features for k in others], np.float64) - np.asarray(features)
        distances = np.sqrt(np.mean(gap * gap, axis=1))
        best = int(np.argmin(distances))
        return others[best].name, float(distances[best])

    def clash(self, verdict: Verdict, but: str = "") -> tuple[Reason, str] | None:
        """Why a program that passed the executor is none of its own; None if it is."""
        held = heldout.identities()
        if held & {verdict.behaviour_hash, verdict.skeleton_hash}:
            return Reason.HELD_OUT, "it is a held-out program"
        for other in self._known:
            if other.name == but:
                continue
            if other.behaviour == verdict.behaviour_hash:
                return Reason.SAME_BEHAVIOUR, f"it behaves like {other.name}"
            if other.skeleton == verdict.skeleton_hash:
                return Reason.DUPLICATE, f"it is {other.name} with other numbers"
        name, distance = self.nearest(verdict.features, but)
        least = CuratorConfig().min_distance
        if distance < least:
            text = f"it plays like {name} (behaviour distance {distance:.4f}, least {least:g})"
            return Reason.SAME_BEHAVIOUR, text
        return None


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


def library_neighbours() -> Neighbours:
    """The bundled programs that are no measure: seeds, games and ports.

    Playing them takes a minute or two; what was found is kept in the cache folder, by program hash.
    """
    programs: list[Program] = [
        p for load in (library.seeds, library.games, library.ports) for p in load()
    ]
    file = _cache_file()
    try:
        cached = {k: tuple(v) for k, v in json.loads(file.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        cached = {}
    missing = [p for p in programs if p.hashes.program not in cached]
    if missing:
        from envs_dsl.behaviour import behaviour

        for program in missing:
            found = behaviour(program)
            features = [round(float(x), 4) for x in found.features]
            cached[program.hashes.program] = (found.hash, features)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, json.dumps(cached))
    return Neighbours(
        Known(p.name, p.hashes.program, p.hashes.skeleton, behaviour_hash, tuple(features))
        for p in programs
        for behaviour_hash, features in (cached[p.hashes.program],)
    )


def policy_name(policy: Path | None) -> str:
    """How receipts call a policy: by the hash of its file."""
    if policy is None:
        return "random play"
    return "sha256:" + hashlib.sha256(policy.read_bytes()).hexdigest()[:16]


def _cache_file() -> Path:
    """One file a version of the behaviour code: its text decides what it finds."""
    import envs_dsl

    root = Path(envs_dsl.__file__).parent
    code = b"".join(
        (root / name).read_bytes() for name in ("behaviour.py", "behaviour_features.py")
    )
    key = hashlib.sha256(code + repr(FEATURES).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "spade_jax" / "behaviour" / f"{key}.json"
