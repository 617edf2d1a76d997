"""What can be said without running the program: parse, check, cost, duplicate."""

from __future__ import annotations

import dataclasses
from typing import Any

import envs_dsl
from envs_dsl.likeness import constants, largest_change
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["check", "cost", "duplicate", "parse"]

_FAULT = "E900"  # the checker's own fault, not the program's


def parse(candidate: Candidate) -> Finding:
    """Read the text. The language reads and checks in one go; the next stages use its findings.

    Ends with SYNTAX, or with INTERNAL where the checker itself failed.
    """
    checked = envs_dsl.check(candidate.request.source)
    learned: dict[str, Any] = {"checked": checked}
    finding = _judge(checked, "E1", Reason.SYNTAX) or _judge(checked, _FAULT, Reason.INTERNAL)
    detail = {"characters": len(candidate.request.source)}
    return finding or Finding(detail=detail, learned=learned)


def check(candidate: Candidate) -> Finding:
    """Names, types, ranges, capacities and sense. Ends with INVALID."""
    for group in ("E2", "E3", "E4", "E6"):
        if finding := _judge(candidate.checked, group, Reason.INVALID):
            return finding
    return Finding(detail={"diagnostics": _warnings(candidate.checked)})


def cost(candidate: Candidate) -> Finding:
    """The exact cost a step against the budgets of the language. Ends with TOO_COSTLY."""
    if finding := _judge(candidate.checked, "E5", Reason.TOO_COSTLY):
        return finding
    program = candidate.checked.program
    learned = {
        "program": program,
        "program_hash": program.hashes.program,
        "skeleton_hash": program.hashes.skeleton,
    }
    return Finding(detail=dataclasses.asdict(program.cost), learned=learned)


def duplicate(candidate: Candidate) -> Finding:
    """Whether this very program is known, or one whose constants hardly differ.

    Ends with DUPLICATE.
    """
    known = candidate.request.known_programs
    if candidate.program_hash in known:
        error = f"program {candidate.program_hash} is known already"
        return Finding(Reason.DUPLICATE, {"program_hash": candidate.program_hash}, error)
    mine = constants(candidate.program)
    for program, skeleton, theirs in candidate.request.known_constants:
        if skeleton != candidate.skeleton_hash:
            continue
        change = largest_change(mine, theirs)
        if change <= candidate.config.near_constants:
            error = f"it is the known program {program}, with constants changed by {change:.0%}"
            return Finding(Reason.DUPLICATE, {"nearest": program, "change": change}, error)
    compared = len(known) + len(candidate.request.known_constants)
    return Finding(detail={"compared_with": compared})


def _judge(checked: Any, code: str, reason: Reason) -> Finding | None:
    """The finding if any error's code starts with ``code``: all diagnostics, the first as text."""
    first = next((d for d in checked.diagnostics if d.code.startswith(code)), None)
    if first is None:
        return None
    hint = f" ({first.hint})" if first.hint else ""
    detail = {"diagnostics": [d.as_json() for d in checked.diagnostics]}
    return Finding(reason, detail, " ".join(f"{first}{hint}".split()))


def _warnings(checked: Any) -> list[dict[str, Any]]:
    return [d.as_json() for d in checked.diagnostics]
