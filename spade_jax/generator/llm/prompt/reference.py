"""The language reference of a prompt: whole, or only what is needed for the programs at hand."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from envs_dsl.language.builtins import BUILTINS
from envs_dsl.reference import compact
from spade_jax.generator.llm.prompt.shots import bundled_shots

__all__ = ["CORE", "builtins_in", "short_reference", "whole_reference"]

CORE = (
    "Pos", "manhattan", "adjacent", "toward", "BORDER", "EVERYWHERE", "at", "rect", "where",
    "count", "any", "nearest", "any_at", "try_move", "randint", "chance", "random_dir",
    "random_cell", "chance_grid", "abs", "min", "max", "solid", "reward", "win", "lose", "spawn",
    "kill",
)  # fmt: skip
"""Builtins that every prompt shows: what most programs are made of."""

_NAMES = frozenset(row.name for row in BUILTINS)


@functools.cache
def whole_reference() -> str:
    """Everything, as ``python -m envs_dsl reference --compact`` prints it."""
    return compact().strip()


def short_reference(
    skills: Iterable[str], sources: Iterable[str] = (), *, example: bool = False
) -> str:
    """The same without the builtins that neither ``CORE`` nor these programs nor skills need.

    Args:
      skills: whose bundled programs say what else is needed.
      sources: programs shown beside it. example: keep the reference's own program, for a prompt
        that shows no other.
    """
    names = set(CORE).union(*map(_of_skill, skills), *map(builtins_in, sources))
    return _short(frozenset(names), example)


def builtins_in(source: str) -> frozenset[str]:
    """Builtins whose names occur in a text."""
    return _NAMES & set(re.findall(r"[A-Za-z_]\w*", source))


@functools.cache
def _of_skill(skill: str) -> frozenset[str]:
    return frozenset().union(
        *(builtins_in(shot.source) for shot in bundled_shots() if skill in shot.skills)
    )


@functools.lru_cache(maxsize=64)
def _short(names: frozenset[str], example: bool) -> str:
    return compact(builtins=names, example=example).strip()
