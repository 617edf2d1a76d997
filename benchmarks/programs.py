"""Which programs a benchmark runs on."""

from __future__ import annotations

from collections.abc import Sequence

from envs_dsl.library import seeds
from envs_dsl.program import Program

__all__ = ["pick"]


def pick(names: Sequence[str]) -> list[Program]:
    """The seed programs of these names, or all of them."""
    programs = {program.name: program for program in seeds()}
    unknown = sorted(set(names) - programs.keys())
    if unknown:
        raise SystemExit(f"error: no seed program {unknown[0]!r}; known: {', '.join(programs)}")
    return [programs[name] for name in names or programs]
