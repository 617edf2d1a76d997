"""One program at several difficulties: the same text with other parameter values."""

from __future__ import annotations

import re

from envs_dsl import Program

__all__ = ["DECLARED", "DIFFICULTIES", "at_difficulty"]

DECLARED = 0.5
"""The difficulty of a program as it was written, see ``Program.params_at``."""

DIFFICULTIES = (0.0, 0.25, DECLARED, 1.0)
"""Where the collection's programs are probed."""


def at_difficulty(source: str, difficulty: float) -> str:
    """The text with the values of its parameters at a difficulty (0 easiest, 1 hardest).

    Raises:
      ProgramError: the text is no program.
    """
    if difficulty == DECLARED:
        return source
    program = Program.from_source(source)
    for param, value in zip(program.params, program.params_at(difficulty), strict=True):
        text = str(int(value)) if param.is_int else _decimal(float(value), param.low, param.high)
        head = rf"(?m)^({re.escape(param.name)}\s*=\s*Param\(\s*)[^,]+"
        source = re.sub(head, rf"\g<1>{text}", source, count=1)
    return source


def _decimal(value: float, low: float, high: float) -> str:
    """A Float literal within the bounds, of few digits."""
    text = repr(round(min(max(value, low), high), 6))
    return text if "." in text or "e" in text else f"{text}.0"
