"""What the programs of a pool are made of, read from their behaviour descriptors."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

from envs_dsl.behaviour_features import FEATURES
from envs_dsl.language.vocabulary import SKILLS
from spade_jax.generator.llm.prompt.texts import words
from spade_jax.types import PoolView

__all__ = ["cells_of", "empty_cells", "having", "in_words", "mechanism_counts", "mechanisms", "of"]

Cell = tuple[str, str]
"""(skill, mechanism): a place of the archive."""

# Pairs that say the same twice, or contradict themselves: no program is asked to be one of these.
_POINTLESS = frozenset(
    {
        ("memory", "hidden fields"),
        ("continuous", "fields Vec2"),
        ("contest", "seats"),
        ("cooperation", "seats"),
        ("puzzle", "fields Vec2"),
        ("puzzle", "carried without moving"),
        ("puzzle", "ways to lose"),
    }
)


@functools.cache
def mechanisms() -> tuple[str, ...]:
    """Names of the features that stand for a mechanism."""
    return tuple(words()["mechanisms"])


def in_words(mechanism: str) -> str:
    """The mechanism as a noun phrase: "with …"."""
    return words()["mechanisms"][mechanism]["name"]


def of(view: PoolView) -> tuple[str, ...]:
    """Mechanisms of a program; none where its descriptor is absent or of another length."""
    return having(view.features)


def having(features: Sequence[float]) -> tuple[str, ...]:
    """Mechanisms by a behaviour descriptor; none where it is absent or of another length."""
    if len(features) != len(FEATURES):
        return ()
    values = dict(zip(FEATURES, features))
    table = words()["mechanisms"]
    return tuple(name for name in mechanisms() if values[name] >= table[name]["least"])


def mechanism_counts(pool: Sequence[PoolView]) -> dict[str, int]:
    """Mechanism → programs that have it, zeros included, in the order of the table."""
    found = Counter(name for view in pool for name in of(view))
    return {name: found[name] for name in mechanisms()}


def cells_of(pool: Sequence[PoolView]) -> dict[Cell, int]:
    """(skill, mechanism) → programs there, zeros included; pairs without sense are left out."""
    found = Counter((skill, name) for view in pool for skill in view.skills for name in of(view))
    return {
        (skill, name): found[skill, name]
        for skill in SKILLS
        for name in mechanisms()
        if (skill, name) not in _POINTLESS
    }


def empty_cells(pool: Sequence[PoolView]) -> tuple[Cell, ...]:
    """Places of the archive where there is no program."""
    return tuple(cell for cell, number in cells_of(pool).items() if not number)
