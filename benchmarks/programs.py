"""Which programs a benchmark runs on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from envs_dsl.library import games, seeds
from envs_dsl.mutate import STRUCTURAL, mutate
from envs_dsl.program import Program

__all__ = ["distinct", "mutants", "pick"]


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


def mutants(parents: Sequence[Program], seed: int) -> Iterator[Program]:
    """Structural mutants of ``parents`` in turn, each of a skeleton of its own, without end.

    From the second pass on the parents are mutants of the pass before, where one was made.
    """
    seen = {program.hashes.skeleton for program in parents}
    line = list(parents)
    for number in itertools.count():
        parent = line[number % len(line)]
        operator = STRUCTURAL[(seed + number) % len(STRUCTURAL)]
        donor = line[(number + 1) % len(line)]
        made = mutate(parent, seed + number, operator, donor)
        if made is None:
            continue
        child = Program.from_source(made.source, name=f"{parent.name.partition('-')[0]}-{number}")
        if child.hashes.skeleton not in seen:
            seen.add(child.hashes.skeleton)
            # Lines that have grown too long go back to where they came from.
            long = len(child.source) > 2 * len(parents[number % len(line)].source)
            line[number % len(line)] = parents[number % len(line)] if long else child
            yield child
