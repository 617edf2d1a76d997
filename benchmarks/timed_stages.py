"""The executor's stages with their CPU seconds in the record, for ``benchmarks.screening``.

They run in a worker (named to the sandbox as ``benchmarks.timed_stages:STAGES``). What the worker
does between two stages counts with the second of them. No stage from the certificate on ends a
candidate here: each is measured on all that come so far, and the record says how it would end.
"""

from __future__ import annotations

import dataclasses
import time

from spade_jax.executor.request import Candidate, Finding, StageFunction, Stages
from spade_jax.executor.stages import STAGES as REAL
from spade_jax.types import Reason, Stage

__all__ = ["CPU_SECONDS", "STAGES", "STEPS", "TRACED", "WOULD_BE"]

CPU_SECONDS, STEPS, WOULD_BE = "benchmark_cpu_seconds", "benchmark_env_steps", "benchmark_reason"
"""What is added to a stage's detail."""

_GO_ON = (Stage.CERTIFICATE, Stage.TRACE)
_seen = time.process_time()


def _timed(stage: Stage, function: StageFunction) -> StageFunction:
    def run(candidate: Candidate) -> Finding:
        global _seen
        found = function(candidate)
        before, _seen = _seen, time.process_time()
        added = {
            CPU_SECONDS: _seen - before,
            STEPS: found.env_steps,
            WOULD_BE: found.reason.value,
        }
        reason = Reason.OK if stage in _GO_ON else found.reason
        return dataclasses.replace(found, reason=reason, detail={**found.detail, **added})

    return run


TRACED: Stages = tuple((stage, _timed(stage, function)) for stage, function in REAL)
STAGES: Stages = tuple(pair for pair in TRACED if pair[0] is not Stage.TRACE)
