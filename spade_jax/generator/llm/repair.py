"""From a text that does not check to one that does: what is wrong, which is better, what to keep.

Asking the model again is ``writer``'s part; here is what needs no model.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from envs_dsl import Checked, Diagnostic, Program, check
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.normalise import normalise
from envs_dsl.language.parse import MAX_BYTES, read

__all__ = ["Draft", "better", "judge", "salvage"]

TRIES = 24
"""Texts that are checked in salvaging one program (a check takes milliseconds)."""

_CHECKER_FAILED = "the checker failed to answer"


@dataclasses.dataclass(frozen=True)
class Draft:
    """A program text and what the checker says of it.

    Attributes:
      source: the text, normalised. program: what it is, None where it does not check.
      diagnostics: why not. mended: what the normaliser changed, one line each.
      error: one line where there is no diagnostic (no text, the checker failed).
    """

    source: str
    program: Program | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    mended: tuple[str, ...] = ()
    error: str = ""

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the errors, in order."""
        return tuple(d.code for d in self.diagnostics if d.severity == "error")


def judge(text: str) -> Draft:
    """Normalise and check a text. Never raises: a checker that fails has not accepted anything."""
    try:
        normalised = normalise(text)
        checked = check(normalised.text)
    except Exception as error:  # a fault of ours, not the model's: still one candidate at most
        return Draft(text, error=f"{_CHECKER_FAILED} ({type(error).__name__})")
    mended = tuple(dict.fromkeys(notice.what for notice in normalised.notices))
    if not accepted(checked):
        return Draft(normalised.text, None, checked.diagnostics, mended)
    return Draft(normalised.text, checked.program, (), mended)


def accepted(checked: Checked) -> bool:
    """It checks, and the checker said so itself."""
    return checked.ok and checked.program is not None


def better(new: Draft, old: Draft) -> bool:
    """Whether ``new`` is at least as near to a program as ``old``."""
    return _distance(new) <= _distance(old)


def _distance(draft: Draft) -> tuple[int, int]:
    """0 for a program; else how early the checker stopped, and how much it found there."""
    if draft.program is not None:
        return 0, 0
    if not draft.codes:
        return 9, 0
    # E1xx: it cannot be read. E2xx, E3xx: names and types. E4xx, E5xx: size. E6xx: makes no sense.
    stage = {"1": 5, "2": 3, "3": 3, "4": 2, "5": 2, "6": 1}.get(draft.codes[0][1], 4)
    return stage, len(draft.codes)


# --- salvage --------------------------------------------------------------------------------------


def salvage(draft: Draft, tries: int = TRIES) -> Draft | None:
    """The longest part of a text that checks, of a bounded number that are tried; else None.

    Two ways are tried: statements at fault are left out one after another, and everything from a
    statement on is left out (the longest prefix). The one that keeps more lines wins.
    """
    if draft.program is not None:
        return draft
    if len(draft.source) > MAX_BYTES:
        draft = judge(draft.source[:MAX_BYTES].rpartition("\n")[0])
    found = [f for f in (_without_faults(draft, tries), _prefix(draft, tries)) if f is not None]
    return max(found, key=lambda f: len(f.source.split("\n")), default=None)


def _without_faults(draft: Draft, tries: int) -> Draft | None:
    for _ in range(tries):
        if draft.program is not None:
            return draft
        shorter = _without_first_fault(draft)
        if shorter is None or shorter == draft.source:
            return None
        draft = judge(shorter)
    return draft if draft.program is not None else None


def _without_first_fault(draft: Draft) -> str | None:
    """The text without the innermost statement in which the first fault is."""
    errors = [d for d in draft.diagnostics if d.severity == "error"]
    if not errors or errors[0].code in ("E110", "E111", "E601"):
        return None  # something is missing: leaving out more does not bring it back
    line, lines = errors[0].line, draft.source.split("\n")
    module = read(draft.source, Diagnostics())
    if module is None:
        return "\n".join(lines[: line - 1] + lines[line:])
    spans = [s for s in _statements(module) if s.first <= line <= s.last and s.removable]
    if not spans:
        return None
    span = min(spans, key=lambda s: s.last - s.first)
    return "\n".join(lines[: span.first - 1] + lines[span.last :])


def _prefix(draft: Draft, tries: int) -> Draft | None:
    lines = draft.source.split("\n")
    cuts = _cuts(draft, tries)
    # The longest are tried first; of a long text only some, spread evenly.
    every = max(1, -(-len(cuts) // tries))
    for cut in cuts[::every]:
        found = judge("\n".join(lines[:cut]) + "\n")
        if found.program is not None:
            return found
    return None


def _cuts(draft: Draft, tries: int) -> list[int]:
    """Numbers of lines after which a text may end, the greatest first."""
    lines = draft.source.split("\n")
    end = len(lines)
    for _ in range(tries):
        out = Diagnostics()
        module = read("\n".join(lines[:end]), out)
        if module is not None:
            return sorted({s.last for s in _statements(module)} | {end}, reverse=True)
        # Python says where it stopped reading: nothing from there on can be kept.
        end = min(end - 1, out.result()[0].line - 1)
        if end < 1:
            break
    return []


@dataclasses.dataclass(frozen=True)
class _Span:
    """A statement: its first and last line, 1-based, and whether its block lives without it."""

    first: int
    last: int
    removable: bool


def _statements(module: ast.Module) -> Iterator[_Span]:
    waiting: list[tuple[ast.stmt, bool]] = [(n, True) for n in module.body]
    while waiting:
        node, removable = waiting.pop()
        yield _Span(node.lineno, node.end_lineno or node.lineno, removable)
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                waiting += [(n, len(block) > 1) for n in block if isinstance(n, ast.stmt)]
