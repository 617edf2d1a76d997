"""Refused programs with what was found: the latest, one of each kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spade_jax.generator.llm.prompt.quote import one_line
from spade_jax.types import Outcome

__all__ = ["Failure", "Finding", "excerpt", "failure_of", "findings_of", "recent_failures", "told"]

_NO_FAULT = ("ok", "killed", "internal", "not_probed", "held_out", "uncertain")
_MOST_FINDINGS = 3
_AROUND = 1  # lines shown before and after the one that is at fault


@dataclasses.dataclass(frozen=True)
class Finding:
    """A diagnostic as it is shown: its code, line (1-based, 0 without one), message and hint."""

    code: str
    line: int
    message: str
    hint: str = ""


@dataclasses.dataclass(frozen=True)
class Failure:
    """A refused program, small enough to be kept in a generator's state (``types.to_json``).

    Attributes:
      reason: code, one of ``types.Reason``. error: one line for a person.
      text: the part of it that is at fault, with the findings beside their lines; may be "".
    """

    reason: str
    error: str
    text: str = ""


def failure_of(outcome: Outcome) -> Failure | None:
    """What there is to learn from an outcome; None where it was admitted or nothing was at fault.

    The fault of a worker (a time limit apart) is none of the program's; nor is what the predictor
    left out.
    """
    reason = str(outcome.reason)
    if outcome.admitted or reason in _NO_FAULT:
        return None
    stages = outcome.verdict.stages
    found = stages[-1].detail.get("diagnostics", ()) if stages else ()
    findings = findings_of(found)
    text = excerpt(outcome.proposal.source, findings) if findings else ""
    return Failure(reason, one_line(outcome.verdict.error), text)


def findings_of(diagnostics: Iterable[Any]) -> tuple[Finding, ...]:
    """Errors as they are shown, from ``envs_dsl.Diagnostic`` records or their JSON form."""
    found = []
    for item in diagnostics:
        values = item if isinstance(item, Mapping) else item.as_json()
        code, line = str(values.get("code", "")), values.get("line", 0)
        if code.startswith("W"):
            continue
        message, hint = str(values.get("message", "")), str(values.get("hint", ""))
        line = line if isinstance(line, int) else 0
        found.append(Finding(code, line, one_line(message), one_line(hint)))
    return tuple(found)


def excerpt(source: str, findings: Sequence[Finding]) -> str:
    """The lines at fault, numbered, each with its findings below it."""
    lines = source.split("\n")
    parts: list[str] = []
    shown = 0
    for finding in findings[:_MOST_FINDINGS]:
        first = max(shown + 1, finding.line - _AROUND)
        last = min(len(lines), finding.line + _AROUND) if finding.line else 0
        parts += [
            f"{n:4d} | {lines[n - 1][:120]}" for n in range(first, finding.line + 1) if n <= last
        ]
        shown = max(shown, min(finding.line, last))
        parts.append(told(finding))
    return "\n".join(parts)


def told(finding: Finding) -> str:
    """``E201 line 12: unknown name speed. Hint: did you mean s.speed?``"""
    where = f" line {finding.line}" if finding.line else ""
    hint = f" Hint: {finding.hint}" if finding.hint else ""
    return f"{finding.code}{where}: {finding.message}.{hint}"


def recent_failures(
    outcomes: Iterable[Outcome], before: Sequence[Failure] = (), most: int = 8
) -> tuple[Failure, ...]:
    """The latest failures, newest first, one of each kind (reason, and code where it has one).

    Args:
      outcomes: of the last round. before: what this function gave earlier. most: how many to keep.
    """
    newest = [f for f in map(failure_of, outcomes) if f is not None]
    kept: dict[tuple[str, str], Failure] = {}
    for failure in (*reversed(newest), *before):
        kept.setdefault((failure.reason, failure.error[:4]), failure)
    return tuple(kept.values())[:most]
