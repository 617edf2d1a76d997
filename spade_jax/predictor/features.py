"""A candidate as numbers: what it costs, how it is built, how it ran, whom it resembles."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from envs_dsl import Program
from envs_dsl.language.tree import Effect, For, If, walk
from spade_jax.types import Context, PoolView, Stage, Verdict

__all__ = ["NAMES", "features"]

NAMES = (
    *("parent_success", "parent_learnability", "like_success", "like_learnability", "distance"),
    *("work", "depth", "ops", "draws", "state_bytes"),
    *("nodes", "branches", "loops", "effects", "fields", "tables", "params", "verbs"),
    *("steps", "cells", "players"),
    *("rewarded", "length", "stability"),
)
"""What each number of ``features`` is."""

_SCALE = 0.15  # of the behaviour distance at which likeness has fallen to 1/e


def features(
    program: Program, verdict: Verdict, parents: Sequence[str], context: Context
) -> tuple[float, ...]:
    """float[len(NAMES)] of a candidate that has passed the stages up to ``Stage.BEHAVIOUR``.

    Args:
      program: the candidate. verdict: on it, of these stages at least.
      parents: program hashes, the first one being the program that was changed.
      context: what its generator was told: the pool and the learner's success on it.
    """
    known = [v.success for v in context.pool if v.success is not None]
    usual = float(np.mean(known)) if known else 0.5
    parent = next((v.success for v in context.pool if v.program_hash in parents[:1]), None)
    parent = usual if parent is None else parent
    like, distance = _resembles(verdict.features, context.pool, usual)
    kinds = Counter(type(node) for node in walk(program.tree.step))
    game, cost = program.game, program.cost
    smoke = next((s.detail for s in verdict.stages if s.name is Stage.SMOKE), {})
    values = (
        *(parent, 4 * parent * (1 - parent), like, 4 * like * (1 - like), distance),
        *(math.log1p(cost.work), cost.depth, math.log1p(cost.ops)),
        *(math.log1p(cost.draws), math.log1p(cost.state_bytes)),
        *(math.log1p(kinds.total()), kinds[If], kinds[For], kinds[Effect]),
        *(len(program.tree.fields), len(program.tree.rows), len(program.params), len(game.verbs)),
        *(math.log(game.max_steps), math.log(game.size[0] * game.size[1]), game.players),
        smoke.get("rewarded", 0) / max(1, smoke.get("runs", 1)),
        smoke.get("mean_length", 0.0) / game.max_steps,
        verdict.stability,
    )
    # Few digits: the numbers are kept in every checkpoint, and nothing hangs on the others.
    return tuple(float(f"{value:.5g}") for value in values)


def _resembles(
    found: Sequence[float], pool: Sequence[PoolView], usual: float
) -> tuple[float, float]:
    """Success on programs of like behaviour, the nearest counting most; distance to the nearest.

    The usual success counts as much as one program at the distance ``_SCALE``.
    """
    others = [v for v in pool if len(v.features) == len(found) and v.success is not None]
    if not found or not others:
        return usual, 1.0
    gaps = np.asarray([v.features for v in others], np.float64) - np.asarray(found, np.float64)
    distances = np.sqrt(np.mean(gaps * gaps, axis=1))
    weights = np.exp(-distances / _SCALE)
    total = float(weights @ np.asarray([v.success for v in others], np.float64))
    prior = math.exp(-1.0)
    return (total + prior * usual) / (float(weights.sum()) + prior), float(distances.min())
