"""Which ideas are worth a program: duplicates are dropped before one is written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from spade_jax.generator.llm.prompt import Aim, Idea

__all__ = ["alike", "fresh", "from_theme", "key_of"]

ALIKE = 0.6
"""Share of words in common from which two ideas are one (Jaccard index)."""

_STOP_WORDS = (
    "a an and are as at be before but by can each every for from has have in into is it its make "
    "must new not of on only or player so that the their them then there they this to until when "
    "where which while will with without you your"
)
_STOP = frozenset(_STOP_WORDS.split())


def key_of(idea: Idea) -> str:
    """What an idea is compared by: its words, sorted, bent forms as one."""
    words = re.findall(r"[^\W\d_]+", f"{idea.title} {idea.player}".lower())
    return " ".join(sorted({_stem(w) for w in words} - _STOP))


def _stem(word: str) -> str:
    for end in ("ing", "ers", "es", "ed", "er", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


def alike(one: str, other: str) -> bool:
    """Whether two keys are of the same idea."""
    a, b = set(one.split()), set(other.split())
    return len(a & b) >= ALIKE * len(a | b)


def fresh(ideas: Iterable[Idea], known: Collection[str]) -> list[Idea]:
    """The ideas that are like no earlier one among them, and like none of the ``known`` keys."""
    keys = list(known)
    kept: list[Idea] = []
    for idea in ideas:
        key = key_of(idea)
        if not any(alike(key, other) for other in keys):
            kept.append(idea)
            keys.append(key)
    return kept


def from_theme(aim: Aim) -> Idea:
    """The idea that there is when none was had: the theme itself, for the wanted skill."""
    return Idea(
        title=aim.theme.text,
        player=f"win a small game about {aim.theme.text}",
        skills=(aim.skill,),
        theme=aim.theme.text,
    )
