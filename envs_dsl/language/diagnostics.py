"""Diagnostics as data: a code, a place, a message, a hint."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

__all__ = ["CODES", "MAX_SHOWN", "Diagnostic", "Diagnostics", "render"]

MAX_SHOWN = 5
"""At most this many are reported, in source order: the rest are mostly echoes of the first."""

_TOLD_ONCE = ("E201", "E202")
"""A wrong name is one slip, however often it is used."""

CODES: dict[str, str] = {
    "E100": "the text cannot be read as a program at all",
    "E101": "syntax error",
    "E102": "this construct is not in the language",
    "E103": "nested too deeply",
    "E110": "the module docstring is missing",
    "E111": "a required part of the program is missing or has the wrong form",
    "E201": "unknown name",
    "E202": "unknown field, member or attribute",
    "E203": "a name is declared twice, or is reserved",
    "E204": "unknown option or word",
    "E205": "a helper calls itself or a later one",
    "E301": "the value does not fit the target's type",
    "E302": "these two cannot be compared",
    "E303": "no form of this operator or builtin takes these types",
    "E304": "a condition must be one Bool",
    "E305": "this cannot be assigned to",
    "E306": "a local may be read before it is assigned",
    "E307": "this cannot be indexed that way",
    "E308": "a constant is needed here, or a range or value is out of bounds",
    "E309": "wrong number of arguments",
    "E311": "an effect where a value is needed, or the other way round",
    "E312": "this effect is not allowed here",
    "E313": "a helper does not return a value on every path",
    "E401": "a capacity is exceeded",
    "E402": "more than one grid of a kind",
    "E403": "the state does not fit the observation",
    "E501": "too much work a step",
    "E502": "expressions nested too deeply after inlining",
    "E503": "too many operations",
    "E504": "too many random draws",
    "E505": "the state is too large",
    "E506": "loops nested too deeply",
    "E601": "no win() can be reached",
    "E602": "an action is declared and never read",
    "E603": "a field is never written",
    "E604": "a field or parameter is never read",
    "E605": "a condition is constant",
    "E606": "win() and win(seat) are mixed",
    "E607": "in a contest, reward and lose need a seat",
    "W701": "a local is never read",
    "W702": "the docstring is short",
    "W703": "a declaration is never used",
    "E900": "internal fault of the checker",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. ``line`` and ``column`` are 1-based; ``severity`` is "error" or "warning"."""

    code: str
    line: int
    column: int
    message: str
    hint: str = ""

    @property
    def severity(self) -> str:
        return "warning" if self.code.startswith("W") else "error"

    def as_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        return f"{self.code} {self.line}:{self.column} {self.message}"


class Diagnostics:
    """Collects findings while a program is checked: one finding a place, and one for a wrong name
    wherever it is used.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, int, str], Diagnostic] = {}

    def add(self, code: str, node: object, message: str, hint: str = "") -> None:
        """Report at an ``ast`` node, or at a (line, column) pair, 1-based."""
        if isinstance(node, tuple):
            line, column = node
        else:
            line = getattr(node, "lineno", 1)
            column = getattr(node, "col_offset", 0) + 1
        diagnostic = Diagnostic(code, line, column, message, hint)
        # several parts may be missing at once: they are all reported at the start
        missing_part = code if code.startswith("E11") and (line, column) == (1, 1) else ""
        self._found.setdefault((line, column, missing_part), diagnostic)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._found.values())

    def result(self) -> tuple[Diagnostic, ...]:
        """In source order, at most MAX_SHOWN; warnings only where there is no error.

        (An error can leave a local unread, say: a warning beside it may be its echo.)
        """
        found = sorted(self._found.values(), key=lambda d: (d.line, d.column))
        if self.has_errors:
            found = [d for d in found if d.severity == "error"]
        kept: dict[object, Diagnostic] = {}
        again: dict[object, list[int]] = {}
        for d in found:
            key: object = (
                (d.code, d.message) if d.code in _TOLD_ONCE else (d.line, d.column, d.code)
            )
            if key in kept:
                again.setdefault(key, []).append(d.line)
            kept.setdefault(key, d)
        for key, lines in again.items():
            others = ", ".join(map(str, sorted(set(lines) - {kept[key].line})))
            if others:
                plural = "s" if "," in others else ""
                hint = f"{kept[key].hint} (also on line{plural} {others})".strip()
                kept[key] = dataclasses.replace(kept[key], hint=hint)
        return tuple(kept.values())[:MAX_SHOWN]


def render(diagnostics: Iterable[Diagnostic], source: str) -> str:
    """Diagnostics for a person: each with its line, a caret and a hint, at most six lines each."""
    lines = source.split("\n")
    parts: list[str] = []
    for d in diagnostics:
        parts.append(str(d))
        if 1 <= d.line <= len(lines) and lines[d.line - 1].isascii():
            number = f"{d.line:5d} | "
            parts.append(number + lines[d.line - 1])
            parts.append(" " * (len(number) - 2) + "| " + " " * (d.column - 1) + "^")
        if d.hint:
            parts.append(f"hint: {d.hint}")
    return "\n".join(parts)
