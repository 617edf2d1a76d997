"""What is asked of the executor, and what is known of a candidate on its way through the stages."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

from spade_jax.executor.config import ExecutorConfig
from spade_jax.types import Reason, Stage, Verdict, from_json, to_json

__all__ = ["Candidate", "Finding", "Request", "StageFunction", "Stages"]


@dataclasses.dataclass(frozen=True)
class Request:
    """One program to examine. Plain values only: it crosses to the worker as a JSON line.

    Attributes:
      source: program text, not yet checked.
      id: the proposal's id, returned in the verdict.
      known_programs: program hashes that count as duplicates.
      known_behaviours: behaviour hashes that count as duplicates.
      known_constants: (program hash, skeleton hash, constants) of known programs: nothing of the
        same skeleton whose constants hardly differ is wanted (see ``envs_dsl.likeness``).
      policy: path of the current policy's file for the probe; None probes with random legal play.
      factory: ``module:function`` that makes a policy from that path, see ``stages.probe``.
      seed: seed of the probe's episodes, so that a second probe can draw fresh ones.
      until: the last stage to run.
      so_far: a verdict that ended well at an earlier ``until``: what it passed is not done again.
    """

    source: str
    id: str = ""
    known_programs: tuple[str, ...] = ()
    known_behaviours: tuple[str, ...] = ()
    known_constants: tuple[tuple[str, str, tuple[float, ...]], ...] = ()
    policy: str | None = None
    factory: str = "spade_jax.play:load_policy"
    seed: int = 0
    until: Stage = Stage.PROBE
    so_far: Verdict | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON values; the policy's path made absolute, since a worker has its own folder."""
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        data["policy"] = None if self.policy is None else os.path.abspath(self.policy)
        data["until"] = self.until.value
        data["so_far"] = None if self.so_far is None else to_json(self.so_far)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Request:
        """The request ``to_json`` wrote."""
        values = dict(data)
        values["until"] = Stage(values["until"])
        if values["so_far"] is not None:
            values["so_far"] = from_json(Verdict, values["so_far"])
        for name in ("known_programs", "known_behaviours"):
            values[name] = tuple(values[name])
        values["known_constants"] = tuple(
            (program, skeleton, tuple(constants))
            for program, skeleton, constants in values["known_constants"]
        )
        return cls(**values)


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A request and what the stages so far have learned of its program.

    ``checked`` and ``program`` are the language's own objects and stay inside the process, as does
    ``rewarded`` (the random play of the smoke stage met a reward); the other fields end up in the
    verdict under the same names.
    """

    request: Request
    config: ExecutorConfig
    checked: Any = None
    program: Any = None
    program_hash: str = ""
    skeleton_hash: str = ""
    behaviour_hash: str = ""
    features: tuple[float, ...] = ()
    stability: float = 0.0
    rewarded: bool = True
    successes: int = 0
    episodes: int = 0


@dataclasses.dataclass(frozen=True)
class Finding:
    """What one stage found.

    Attributes:
      reason: ``Reason.OK`` or why the candidate ends here.
      detail: JSON values for the record.
      error: one line for a person, "" when ok.
      env_steps: environment steps simulated.
      learned: new values for fields of ``Candidate``.
    """

    reason: Reason = Reason.OK
    detail: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    error: str = ""
    env_steps: int = 0
    learned: Mapping[str, Any] = dataclasses.field(default_factory=dict)


StageFunction = Callable[[Candidate], Finding]
Stages = tuple[tuple[Stage, StageFunction], ...]
