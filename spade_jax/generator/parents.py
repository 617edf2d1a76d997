"""Whom to change: parents by learnability, sparse behaviour and weak skills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spade_jax.types import Context, PoolView, SkillEstimate

__all__ = ["donor_weights", "learnability", "parent_weights", "sparsity", "weakness"]

_NEIGHBOURS = 3


def learnability(success: float | None) -> float:
    """4p(1−p), in [0, 1]; an unmeasured program counts as rather learnable (0.75)."""
    return 0.75 if success is None else 4.0 * success * (1.0 - success)


def sparsity(views: Sequence[PoolView]) -> NDArray[np.float64]:
    """float64[n] in [0, 1]: how lonely each program's behaviour is, relative to the loneliest.

    Mean distance to the nearest three. All 1 where descriptors are absent or of different lengths.
    """
    lengths = {len(v.features) for v in views}
    if len(views) < 2 or lengths == {0} or len(lengths) != 1:
        return np.ones(len(views))
    points = np.asarray([v.features for v in views], np.float64)
    near = np.empty(len(views))
    for i, point in enumerate(points):  # all pairs at once would take n² descriptors: archives grow
        gaps = np.sqrt(((point - points) ** 2).sum(axis=-1))
        gaps[i] = np.inf
        near[i] = np.sort(gaps)[: min(_NEIGHBOURS, len(views) - 1)].mean()
    return near / near.max() if near.max() > 0 else np.ones(len(views))


def weakness(view: PoolView, profile: Sequence[SkillEstimate]) -> float:
    """1 − the learner's success on the program's weakest skill; 0.5 where nothing is known."""
    known = {e.skill: e.mean for e in profile}
    rates = [known[s] for s in view.skills if s in known]
    return 1.0 - min(rates) if rates else 0.5


def parent_weights(context: Context, children: Mapping[str, float]) -> NDArray[np.float64]:
    """float64[n], sum 1: probability of each pool or archive program to be a parent.

    (0.1 + learnability) · (1 + sparsity) · (1 + weakness), divided by √(1 + children so far / 8) so
    that one fertile program does not become everybody's ancestor.
    """
    lonely = sparsity(context.pool)
    weights = np.array(
        [
            (0.1 + learnability(v.success)) * (1 + s) * (1 + weakness(v, context.profile))
            for v, s in zip(context.pool, lonely, strict=True)
        ]
    )
    born = np.array([children.get(v.program_hash, 0.0) for v in context.pool])
    weights = weights / np.sqrt(1.0 + born / 8.0)
    return weights / weights.sum()


def donor_weights(context: Context) -> NDArray[np.float64]:
    """float64[n], sum 1: whom to take pieces from: the lonely and those of weak skills."""
    weights = (1.0 + sparsity(context.pool)) * np.array(
        [1.0 + weakness(v, context.profile) for v in context.pool]
    )
    return weights / weights.sum()
