"""Themes of everyday life, so that proposals do not all become mazes: ``themes.txt``."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection
from importlib import resources

import numpy as np

__all__ = ["Theme", "draw_theme", "families", "themes"]


@dataclasses.dataclass(frozen=True)
class Theme:
    """What a program may be about. ``family``: the heading that it stands under."""

    text: str
    family: str


@functools.cache
def themes() -> tuple[Theme, ...]:
    """All themes, in the order of the file."""
    file = resources.files("spade_jax.generator.llm.prompt") / "themes.txt"
    found: list[Theme] = []
    family = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            family = line[2:].strip()
        elif line.strip():
            found.append(Theme(line.strip(), family))
    return tuple(found)


@functools.cache
def families() -> tuple[str, ...]:
    """Names of the families, in the order of the file."""
    return tuple(dict.fromkeys(theme.family for theme in themes()))


def draw_theme(
    rng: np.random.Generator, family: str | None = None, without: Collection[str] = ()
) -> Theme:
    """A theme: first a family, each as likely, then one of its themes.

    Args:
      rng: all randomness. family: take this one. without: texts not to be drawn again; where
        nothing else is left they are drawn after all.

    Raises:
      ValueError: there is no such family.
    """
    if family is not None and family not in families():
        raise ValueError(f"unknown theme family {family!r}; known: {', '.join(families())}")
    for taken in (frozenset(without), frozenset()):
        left = [t for t in themes() if family in (None, t.family) and t.text not in taken]
        if left:
            break
    names = list(dict.fromkeys(t.family for t in left))
    name = names[int(rng.integers(len(names)))]
    group = [t for t in left if t.family == name]
    return group[int(rng.integers(len(group)))]
