"""Run a candidate through the stages and put the verdict together."""

from __future__ import annotations

import dataclasses
import importlib
import json
import time
import traceback
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.request import Candidate, Finding, Request, Stages
from spade_jax.types import Reason, Stage, StageResult, Verdict, to_json

__all__ = ["DEFAULT_STAGES", "blank_verdict", "end_verdict", "examine", "load_object"]

DEFAULT_STAGES = "spade_jax.executor.stages:STAGES"
_MAX_DETAIL = 32_768
_READING = (Stage.PARSE, Stage.COST)  # learn objects that no verdict can hold


def load_object(name: str) -> Any:
    """The object a dotted name ``module:attribute`` stands for.

    Raises:
      ValueError: the name has no colon, or the module has no such attribute.
      ImportError: the module cannot be imported.
    """
    module_name, colon, attribute = name.partition(":")
    if not colon or not attribute:
        raise ValueError(f"{name!r} is not a name of the form 'module:attribute'")
    module = importlib.import_module(module_name)
    if not hasattr(module, attribute):
        raise ValueError(f"module {module_name!r} has no attribute {attribute!r}")
    return getattr(module, attribute)


def blank_verdict(request: Request) -> Verdict:
    """The verdict before any stage has run."""
    if request.so_far is not None:
        return dataclasses.replace(request.so_far, proposal_id=request.id)
    return Verdict(proposal_id=request.id, ok=True, reason=Reason.OK)


def end_verdict(
    verdict: Verdict,
    stage: Stage,
    reason: Reason,
    seconds: float,
    detail: dict[str, Any],
    error: str,
) -> Verdict:
    """``verdict`` so far, ended in ``stage`` for ``reason``."""
    result = StageResult(stage, ok=False, seconds=seconds, detail=detail)
    return dataclasses.replace(
        verdict, ok=False, reason=reason, stages=(*verdict.stages, result), error=error
    )


def examine(
    request: Request,
    config: ExecutorConfig | None = None,
    stages: Stages | None = None,
    on_start: Callable[[Stage], None] | None = None,
    on_done: Callable[[Verdict], None] | None = None,
) -> Verdict:
    """Examine a program in this process, without limits: see ``Sandbox`` for those.

    Stops at the first stage that is not ok, or after ``request.until``; goes on from
    ``request.so_far``, to the verdict of one go. A pure function of its arguments, except for the
    measured ``seconds``. Never raises because of the program: an
    exception inside a stage ends in ``Reason.INTERNAL``, an exhausted memory in ``Reason.MEMORY``.

    Args:
      request: the program and what is known already.
      config: limits and thresholds.
      stages: pairs (stage, function of a Candidate); the standard ones by default.
      on_start: called with each stage before it runs.
      on_done: called with the verdict so far after each stage.
    """
    config = config or ExecutorConfig()
    stages = load_object(DEFAULT_STAGES) if stages is None else stages
    verdict = blank_verdict(request)
    candidate = _known(Candidate(request, config), verdict)
    passed = {result.name for result in verdict.stages}
    for stage, function in stages:
        if stage in passed and stage not in _READING:
            continue
        if on_start:
            on_start(stage)
        started = time.perf_counter()
        finding = _run(function, candidate)
        seconds = time.perf_counter() - started
        candidate = dataclasses.replace(candidate, **finding.learned)
        if stage in passed and finding.reason is Reason.OK:
            continue
        verdict = _advance(verdict, candidate, stage, finding, seconds)
        if on_done:
            on_done(verdict)
        if not verdict.ok or stage == request.until:
            break
    return verdict


def _known(candidate: Candidate, verdict: Verdict) -> Candidate:
    """The candidate with what a verdict so far holds of it."""
    smoke = next((s.detail for s in verdict.stages if s.name is Stage.SMOKE), {})
    return dataclasses.replace(
        candidate,
        behaviour_hash=verdict.behaviour_hash,
        features=verdict.features,
        stability=verdict.stability,
        rewarded=bool(smoke.get("rewarded", True)),
    )


def _run(function: Callable[[Candidate], Finding], candidate: Candidate) -> Finding:
    try:
        return _plain(function(candidate))
    except MemoryError:
        return Finding(Reason.MEMORY, error="the stage ran out of memory")
    except Exception as error:  # a stage that raises is a bug of ours: recorded, never hidden
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{PurePath(frame.filename).name}:{frame.lineno}"
        text = " ".join(str(error).split())[:300]
        return Finding(
            Reason.INTERNAL,
            {"exception": type(error).__name__, "where": where},
            f"{type(error).__name__} at {where}: {text}",
        )


def _plain(finding: Finding) -> Finding:
    """The finding with its detail as it will be after a trip through JSON.

    Raises:
      TypeError, ValueError: the detail is not JSON, holds NaN or infinity, or is too long.
    """
    text = json.dumps(to_json(dict(finding.detail)), allow_nan=False)
    if len(text) > _MAX_DETAIL:
        raise ValueError(f"the stage's detail is longer than {_MAX_DETAIL} characters")
    return dataclasses.replace(finding, detail=json.loads(text), error=finding.error[:500])


def _advance(
    verdict: Verdict, candidate: Candidate, stage: Stage, finding: Finding, seconds: float
) -> Verdict:
    ok = finding.reason is Reason.OK
    return dataclasses.replace(
        verdict,
        ok=ok,
        reason=finding.reason,
        stages=(*verdict.stages, StageResult(stage, ok, seconds, dict(finding.detail))),
        program_hash=candidate.program_hash,
        skeleton_hash=candidate.skeleton_hash,
        behaviour_hash=candidate.behaviour_hash,
        features=candidate.features,
        stability=candidate.stability,
        successes=candidate.successes,
        episodes=candidate.episodes,
        env_steps=verdict.env_steps + finding.env_steps,
        error=finding.error,
    )
