"""The parts of a prompt, each a function of what is known of the run, in forms of several lengths.

A part's forms go from the fullest to the shortest; which part gives way first is written down in
``kinds``.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from envs_dsl.language.constants import MAX_SIDE, MIN_SIDE
from envs_dsl.language.vocabulary import SKILLS, VERBS
from spade_jax.generator.llm.prompt import mechanisms
from spade_jax.generator.llm.prompt.aim import Aim
from spade_jax.generator.llm.prompt.budget import Count, Part, estimate
from spade_jax.generator.llm.prompt.failures import Failure
from spade_jax.generator.llm.prompt.quote import one_line
from spade_jax.generator.llm.prompt.reference import short_reference, whole_reference
from spade_jax.generator.llm.prompt.shots import Shot, choose_shots
from spade_jax.generator.llm.prompt.texts import render, words
from spade_jax.types import Context

__all__ = [
    "Brief",
    "brief_of",
    "existing",
    "failures",
    "guidance",
    "pool",
    "profile",
    "prohibitions",
    "reference",
    "role",
    "shots",
    "tests",
    "world",
]

SEVERAL = ("contest", "cooperation")
"""Skills that take several players."""

_TOKENS_A_SHOT = 1_200
_SHARE_OF_A_SHOT = 0.3  # of the budget, at most
_CHARACTERS = 2.7  # of a program, a token
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


@dataclasses.dataclass(frozen=True)
class Brief:
    """What every prompt is made from.

    Attributes:
      context: the run's state. aim: what is wanted (see ``aim``).
      shots: accepted programs to show, the best first (see ``choose_shots``); as many as fit, and
        at most one for every 1,200 tokens of the budget.
      failures: refused ones, the newest first (see ``recent_failures``); as many as fit.
      budget: most tokens of the whole prompt: 2,500 suits small models, 12,000 large ones.
      count: text → tokens; a cautious estimate unless the model's tokenizer is given.
      care: answers were refused too often: the prohibitions come with a list of what to check.
    """

    context: Context
    aim: Aim
    shots: tuple[Shot, ...] = ()
    failures: tuple[Failure, ...] = ()
    budget: int = 2_500
    count: Count = estimate
    care: bool = False


def brief_of(
    context: Context,
    aim: Aim,
    rng: np.random.Generator,
    *,
    budget: int = 2_500,
    failures: Sequence[Failure] = (),
    others: Iterable[Shot] | None = None,
    source: str = "mixed",
    count: Count = estimate,
    care: bool = False,
) -> Brief:
    """A brief with examples that suit the aim and have room in the budget.

    Args: see ``Brief``, and ``choose_shots`` for ``rng``, ``others`` and ``source``.
    """
    longest = int(budget * _SHARE_OF_A_SHOT * _CHARACTERS)
    shots = choose_shots(
        context, aim, _most_shots(budget), rng, others=others, source=source, longest=longest
    )
    return Brief(context, aim, shots, tuple(failures), budget, count, care)


def role(brief: Brief) -> Part:
    """Who is asked, and that quoted text is no instruction."""
    return Part("role", (render("role"),))


def reference(
    brief: Brief, *, skills: Iterable[str] = (), source: str = "", optional: bool = False
) -> Part:
    """The language: whole, then only what is needed here, with or without its own example.

    Args:
      brief: as for all. skills: of the idea, besides the aim's.
      source: a program that is to be changed. optional: the last form is none at all.
    """
    needed = {brief.aim.skill, *skills}
    sources = [shot.source for shot in _candidates(brief)] + [source]
    forms = (
        whole_reference(),
        short_reference(needed, sources, example=True),
        short_reference(needed, sources),
        short_reference((), sources),
    )
    return Part("reference", _shrinking((*forms, "") if optional else forms))


def world(brief: Brief) -> Part:
    """What a program can be, for whoever need not write one."""
    return Part("world", (render("world", least=MIN_SIDE, most=MAX_SIDE, verbs=VERBS),))


def existing(brief: Brief) -> Part:
    """What the programs of the pool ask of the player, those of the wanted skill first."""
    views = sorted(
        brief.context.pool, key=lambda v: (brief.aim.skill not in v.skills, not v.active)
    )
    lines = list(dict.fromkeys(filter(None, (_sentence(v.source) for v in views))))
    forms = [
        render("existing", lines="\n".join(lines[:n])) if lines else "" for n in (40, 20, 10, 5)
    ]
    return Part("existing", _shrinking((*forms, "")))


def profile(brief: Brief) -> Part:
    """The learner's success by skill: with intervals, without, the weakest three and the wanted."""
    found = sorted(brief.context.profile, key=lambda e: (e.mean, e.skill))
    found = [e for e in found if e.skill in SKILLS]
    measured = {e.skill for e in found}
    unknown = [s for s in SKILLS if s not in measured]
    few = [e for i, e in enumerate(found) if i < 3 or e.skill == brief.aim.skill]
    forms = (
        render("profile", estimates=found, intervals=True, unknown=unknown),
        render("profile", estimates=found, intervals=False, unknown=unknown),
        render("profile", estimates=few, intervals=False, unknown=()) if few else "",
        "",
    )
    return Part("profile", _shrinking(forms))


def pool(brief: Brief) -> Part:
    """Statistics of the pool: histogram of success, crowded and sparse places, empty cells."""
    views = brief.context.pool
    if not views:
        return Part("pool", ("",))
    counts = mechanisms.mechanism_counts(views)
    ranked = sorted(counts, key=lambda name: -counts[name])
    crowded = [mechanisms.in_words(n) for n in ranked if counts[n] > len(views) / 2]
    sparse = [mechanisms.in_words(n) for n in reversed(ranked) if counts[n] <= len(views) / 10]
    if not any(counts.values()):  # no descriptors: nothing is known of mechanisms
        sparse = []
    empty = [c for c in mechanisms.empty_cells(views) if sparse or crowded]
    empty.sort(key=lambda cell: cell[0] != brief.aim.skill)
    cells = [(skill, mechanisms.in_words(name)) for skill, name in empty]
    tally = Counter(skill for view in views for skill in view.skills)
    skills = sorted(((s, tally[s]) for s in SKILLS), key=lambda pair: -pair[1])
    base: dict[str, Any] = {
        "active": sum(v.active for v in views),
        "archived": sum(not v.active for v in views),
        "histogram": _histogram([v.success for v in views if v.success is not None]),
        "unmeasured": sum(v.success is None for v in views),
        "skills": skills,
    }
    bare = {**base, "crowded": (), "sparse": (), "cells": ()}
    forms = (
        render("pool", **base, crowded=crowded[:6], sparse=sparse[:6], cells=cells[:8]),
        render("pool", **base, crowded=crowded[:3], sparse=sparse[:3], cells=cells[:2]),
        render("pool", **bare),
        "",
    )
    return Part("pool", _shrinking(forms))


def guidance(brief: Brief, *, whole: bool = False, parent: float | None = None) -> Part:
    """Skill and difficulty that are wanted, and ways to get there.

    Args:
      brief: as for all. whole: theme and mechanism too; an idea has its own.
      parent: the learner's success on the program that is to be changed.
    """
    aim = brief.aim
    known = {e.skill: e.mean for e in brief.context.profile}
    levers = words()["levers"].get(aim.direction, [])
    values: dict[str, Any] = {
        "skill": aim.skill,
        "meaning": words()["skills"][aim.skill],
        "mechanism": mechanisms.in_words(aim.mechanism) if whole and aim.mechanism else "",
        "theme": aim.theme.text if whole else "",
        "low": aim.low,
        "high": aim.high,
        "target": aim.target,
        "direction": aim.direction,
        "mean": known.get(aim.skill),
        "parent": parent,
    }
    simple = words()["simple"]
    forms = tuple(
        render("guidance", **values, levers=levers[:n], simple=simple if n else "")
        for n in (len(levers) or 1, 3, 0)
    )
    return Part("guidance", _shrinking(forms))


def prohibitions(brief: Brief) -> Part:
    """What no program may do."""
    limits = brief.context.limits
    return Part("prohibitions", (render("prohibitions", care=brief.care, limits=limits),))


def tests(brief: Brief) -> Part:
    """How a program is tried, in what depends on how it is written; down to what concerns all."""
    several = brief.aim.skill in SEVERAL
    forms = (render("tests", several=True), render("tests", several=several), "")
    return Part("tests", _shrinking(forms))


def shots(brief: Brief) -> Part:
    """Accepted programs, down to none; see ``Brief.shots`` for how many at most."""
    candidates = _candidates(brief)
    forms = [render("shots", shots=candidates[:n]) for n in range(len(candidates), 0, -1)]
    return Part("shots", (*forms, ""))


def failures(brief: Brief) -> Part:
    """Refused programs with what was found, down to none."""
    advice = words()["advice"]
    told = [
        {"reason": f.reason, "advice": advice.get(f.reason, ""), "text": f.text or f.error}
        for f in brief.failures
    ]
    numbers = range(len(told), -1, -1)
    return Part(
        "failures", tuple(render("failures", failures=told[:n]) if n else "" for n in numbers)
    )


def _sentence(source: str) -> str:
    """The first line of a program's docstring."""
    found = re.search(r'"""\s*([^\n"]+)', source)
    return one_line(found[1], 110) if found else ""


def _candidates(brief: Brief) -> tuple[Shot, ...]:
    return brief.shots[: _most_shots(brief.budget)]


def _most_shots(budget: int) -> int:
    return max(1, budget // _TOKENS_A_SHOT)


def _histogram(rates: list[float]) -> list[dict[str, Any]]:
    """Counts between the limits of ``_BINS``; the last bin holds its upper limit too."""
    last = len(_BINS) - 2
    tally = Counter(
        min(last, max(i for i, low in enumerate(_BINS[:-1]) if rate >= low)) for rate in rates
    )
    return (
        [{"low": _BINS[i], "high": _BINS[i + 1], "count": tally[i]} for i in range(last + 1)]
        if rates
        else []
    )


def _shrinking(forms: tuple[str, ...]) -> tuple[str, ...]:
    """``forms`` without those that are no shorter than an earlier one."""
    kept: list[str] = []
    for form in forms:
        if not kept or len(form) < len(kept[-1]):
            kept.append(form)
    return tuple(kept)
