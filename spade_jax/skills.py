"""Skill tags of generated programs: as their play verified them, not as they say.

A mutant keeps the header of its parent, whatever became of the rest, and a written program may
promise anything. The tags of an admitted program drive the capability profile, so they are those
that the executor's behaviour stage found exercised. Where it found none, nothing better is known
than what is declared, and that stays. Bundled programs keep their tags, which were given by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from envs_dsl.language.vocabulary import SKILLS
from spade_jax.types import Stage, Verdict

__all__ = ["relabelled", "tags"]


def tags(verdict: Verdict, declared: Iterable[str]) -> tuple[str, ...]:
    """Skills of a program, in the vocabulary's order: verified, or declared if none is."""
    verified = _known(_found(verdict).get("verified", ()))
    return verified or _known(declared)


def relabelled(verdict: Verdict) -> bool:
    """Whether the tags of a program became others than it declares."""
    declared = _known(_found(verdict).get("declared", ()))
    return tags(verdict, declared) != declared


def _found(verdict: Verdict) -> Mapping[str, Any]:
    """What the behaviour stage recorded of skills; empty where it did not get so far."""
    for stage in verdict.stages:
        if stage.name is Stage.BEHAVIOUR:
            return stage.detail.get("skills", {})
    return {}


def _known(names: Iterable[str]) -> tuple[str, ...]:
    given = frozenset(names)
    return tuple(skill for skill in SKILLS if skill in given)
