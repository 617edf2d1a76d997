"""Few-shot programs: accepted ones of the wanted skill and success band."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence

import numpy as np

from envs_dsl.metadata import read_header
from spade_jax.generator.llm.prompt.aim import Aim
from spade_jax.types import Context

__all__ = ["SOURCES", "Shot", "bundled_shots", "choose_shots", "corpus_shots", "pool_shots"]

SOURCES = ("mixed", "pool", "bundled")
"""Where examples come from: whatever suits best, programs of the run only, the others only."""


@dataclasses.dataclass(frozen=True)
class Shot:
    """A program that may be shown.

    Attributes:
      program_hash: its key. source: its text. skills: its tags.
      success: the learner's, of the corpus that of the policy in the receipt; None where none was
        measured. origin: "pool", "seeds", "corpus", …
    """

    program_hash: str
    source: str
    skills: tuple[str, ...]
    success: float | None = None
    origin: str = "pool"


def pool_shots(context: Context) -> tuple[Shot, ...]:
    """The programs of pool and archive, in their order."""
    return tuple(Shot(v.program_hash, v.source, v.skills, v.success, "pool") for v in context.pool)


@functools.cache
def bundled_shots() -> tuple[Shot, ...]:
    """The bundled seeds. No other set of the library: some of those are kin to what is held out."""
    from envs_dsl import library

    return tuple(
        Shot(p.hashes.program, p.source, p.game.skills, None, "seeds") for p in library.seeds()
    )


@functools.cache
def corpus_shots() -> tuple[Shot, ...]:
    """The bundled collection (``generator.corpus``): its gates keep out what is kin to held-out
    programs."""
    from spade_jax.generator.corpus import entries

    return tuple(Shot(e.program_hash, e.source, e.skills, e.success, "corpus") for e in entries())


def choose_shots(
    context: Context,
    aim: Aim,
    n: int,
    rng: np.random.Generator,
    *,
    others: Iterable[Shot] | None = None,
    source: str = "mixed",
    longest: int | None = None,
) -> tuple[Shot, ...]:
    """At most ``n`` programs, the one most worth showing first, no two the same.

    Programs of the wanted skill come before all others, then those of the run whose success lies in
    the band (the nearer the target the better), then those of the corpus of which its receipts say
    so, then those not measured, then the rest; equals in the order of a draw. The second and later
    ones are preferred if they show a skill that no earlier one has.

    Args:
      context: the run's state. aim: what is wanted. n: how many. rng: all randomness.
      others: besides those of the run; the bundled seeds unless given.
      source: one of ``SOURCES``; the other kind is taken only where this one has none.
      longest: programs of more characters are left out, unless there is none that is shorter.

    Raises:
      ValueError: no such source.
    """
    if source not in SOURCES:
        raise ValueError(f"unknown source of examples {source!r}; known: {', '.join(SOURCES)}")
    own = pool_shots(context)
    rest = tuple(bundled_shots() if others is None else others)
    groups = {"mixed": own + rest, "pool": own or rest, "bundled": rest or own}
    left = _short(_distinct(groups[source]), longest)
    order = rng.permutation(len(left))
    ranked = [left[i] for i in order]
    chosen: list[Shot] = []
    while ranked and len(chosen) < n:
        seen = {skill for shot in chosen for skill in shot.skills}
        best = min(ranked, key=lambda shot: _rank(shot, aim, seen))
        ranked.remove(best)
        chosen.append(best)
    return tuple(chosen)


def _rank(shot: Shot, aim: Aim, seen: set[str]) -> tuple[bool, bool, int, float]:
    if shot.success is None:
        worth, gap = 2, 0.0
    else:
        inside = 1 if shot.origin == "corpus" else 0  # another learner's success says less
        worth = inside if aim.low <= shot.success <= aim.high else 3
        gap = round(abs(shot.success - aim.target), 1)
    old = bool(seen) and set(shot.skills) <= seen
    return aim.skill not in shot.skills, old, worth, gap


def _distinct(shots: Sequence[Shot]) -> list[Shot]:
    """One of each program, without its header of metadata."""
    found: dict[str, Shot] = {}
    for shot in shots:
        lines = shot.source.split("\n")
        body = "\n".join(lines[len(read_header(shot.source)) :]).strip("\n")
        found.setdefault(shot.program_hash, dataclasses.replace(shot, source=body))
    return list(found.values())


def _short(shots: list[Shot], longest: int | None) -> list[Shot]:
    if longest is None or not shots:
        return shots
    fitting = [shot for shot in shots if len(shot.source) <= longest]
    return fitting or [min(shots, key=lambda shot: len(shot.source))]
