"""Which programs a benchmark runs on."""

from __future__ import annotations

from collections.abc import Sequence

from envs_dsl.library import games, seeds
from envs_dsl.program import Program

__all__ = ["distinct", "pick"]


def pick(names: Sequence[str]) -> list[Program]:
    """The seed programs of these names, or all of them."""
    programs = {program.name: program for program in seeds()}
    unknown = sorted(set(names) - programs.keys())
    if unknown:
        raise SystemExit(f"error: no seed program {unknown[0]!r}; known: {', '.join(programs)}")
    return [programs[name] for name in names or programs]


def distinct(count: int, longest: int | None = None) -> list[Program]:
    """``count`` bundled programs of different skeletons: seeds first, then games, by name.

    Args:
      count: how many. longest: only those whose episodes have at most so many steps.

    Raises:
      ValueError: there are not so many.
    """
    found: dict[str, Program] = {}
    for program in (*seeds(), *games()):
        if longest is None or program.game.max_steps <= longest:
            found.setdefault(program.hashes.skeleton, program)
    if len(found) < count:
        raise ValueError(f"only {len(found)} different skeletons, {count} wanted")
    return list(found.values())[:count]
