"""Gates, then a rank. No rank makes up for a gate that leaks.

An additive score alone admits clones: a mastered copy of a pool program loses only its diversity
and most of its difficulty. So identity, distance and the success band are gates of their own, and
the score only orders what passed them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from spade_jax.curator.config import CuratorConfig
from spade_jax.curator.posterior import Posterior
from spade_jax.types import Reason, Verdict

__all__ = ["Identities", "Neighbourhood", "Score", "difficulty", "gates", "score"]


@dataclasses.dataclass(frozen=True)
class Identities:
    """Hashes a newcomer must not have.

    Attributes:
      programs, behaviours: of everything in pool, archive and quarantine, and of what was refused.
      heldout: behaviour and skeleton hashes of the held-out programs.
      refused: skeleton hashes of programs that a person refused.
    """

    programs: frozenset[str] = frozenset()
    behaviours: frozenset[str] = frozenset()
    heldout: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()


def gates(
    verdict: Verdict,
    posterior: Posterior,
    config: CuratorConfig,
    known: Identities | None = None,
) -> Reason | None:
    """Whether a candidate may be ranked at all.

    Args:
      verdict: the executor's answer.
      posterior: success of the current policy on it (no episodes: none was measured).
      config: thresholds.
      known: what is there already; None where nothing is.

    Returns:
      None if every gate is passed, else the reason of the first that is not: the verdict's own,
      DUPLICATE, HELD_OUT, REFUSED, SAME_BEHAVIOUR, UNCERTAIN (too few episodes, or too much of
      the mass outside the band although its mean is inside), TOO_HARD, TOO_EASY.
    """
    known = known or Identities()
    if not verdict.ok:
        return verdict.reason
    if verdict.program_hash in known.programs:
        return Reason.DUPLICATE
    if known.heldout & {verdict.behaviour_hash, verdict.skeleton_hash}:
        return Reason.HELD_OUT
    if verdict.skeleton_hash in known.refused:
        return Reason.REFUSED
    if verdict.behaviour_hash in known.behaviours:
        return Reason.SAME_BEHAVIOUR
    if posterior.episodes < config.episodes:
        return Reason.UNCERTAIN
    low, high = config.band
    if posterior.mass(low, high) >= config.gate_mass:
        return None
    if posterior.mean <= low:
        return Reason.TOO_HARD
    return Reason.TOO_EASY if posterior.mean >= high else Reason.UNCERTAIN


def difficulty(p: float, config: CuratorConfig) -> float:
    """How apt a success rate is: 1 at the target (or in the whole band), 0 at 0 and at 1."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"success rate {p} is outside [0, 1]")
    if config.shape == "plateau":
        low, high = config.band
        return float(min(1.0, p / low if low else 1.0, (1 - p) / (1 - high) if high < 1 else 1.0))
    t = config.target
    bent = 0.5 * p / t if p <= t else 0.5 + 0.5 * (p - t) / (1 - t)
    return 4.0 * bent * (1.0 - bent)


class Neighbourhood:
    """Behaviour descriptors and skills of the programs a candidate is compared with.

    The distance is the root mean square difference over the descriptor's dimensions, which
    ``envs_dsl.behaviour`` brings to similar size. It is not divided by the pool's spread: what is
    near must not depend on which others are there, and dimensions in which all agree would blow up.
    """

    def __init__(
        self, features: Sequence[Sequence[float]], skills: Sequence[Collection[str]]
    ) -> None:
        """``features``: [n][F] descriptors (those of another length than the first are an error);
        ``skills``: n sets of skill tags."""
        lengths = {len(f) for f in features}
        if len(lengths) > 1:
            raise ValueError(f"behaviour descriptors of different lengths: {sorted(lengths)}")
        self._features = np.asarray(features, np.float64).reshape(
            len(features), max(lengths, default=0)
        )
        self._skills = [frozenset(s) for s in skills]

    def __len__(self) -> int:
        return len(self._skills)

    def distances(self, features: Sequence[float]) -> NDArray[np.float64]:
        """float64[n], ascending: distances of a descriptor to all programs here."""
        if not len(self):
            return np.zeros(0)
        gap = np.asarray(features, np.float64) - self._features
        return np.sort(np.sqrt(np.mean(gap * gap, axis=1))) if gap.shape[1] else np.zeros(len(self))

    def sparsity(self, skills: Collection[str]) -> float:
        """Share of programs here without the rarest of these skills; 0 where none are declared."""
        if not skills:
            return 0.0
        if not len(self):
            return 1.0
        return max(1.0 - sum(k in s for s in self._skills) / len(self) for k in skills)


@dataclasses.dataclass(frozen=True)
class Score:
    """A rank and its parts, all in [0, 1]; ``nearest`` is the distance to the nearest program."""

    total: float
    difficulty: float
    diversity: float
    stability: float
    nearest: float

    def evidence(self) -> dict[str, float | None]:
        """As JSON values: an infinite distance (nothing to compare with) is null."""
        values: dict[str, float | None] = dataclasses.asdict(self)
        return values if np.isfinite(self.nearest) else values | {"nearest": None}


def score(
    p: float,
    features: Sequence[float],
    skills: Collection[str],
    stability: float,
    others: Neighbourhood,
    config: CuratorConfig,
) -> Score:
    """α·difficulty + β·diversity + γ·stability.

    Args:
      p: posterior mean of the success rate.
      features: behaviour descriptor, of the length of the others'.
      skills: skill tags of the candidate.
      stability: 0 to 1, from the executor and from training.
      others: the pool without this program.
      config: weights.

    Returns:
      The score. Diversity is 1 − exp(−d / scale), d the mean distance to the k nearest others
      (1 with no others), scaled down by up to ``sparse_weight`` where its skills are common.
    """
    near = others.distances(features)[: config.neighbours]
    distance = float(near.mean()) if len(near) else float("inf")
    novelty = 1.0 - float(np.exp(-distance / config.scale))
    rare = others.sparsity(skills)
    diversity = novelty * (1.0 - config.sparse_weight * (1.0 - rare))
    apt = difficulty(p, config)
    steady = float(np.clip(stability, 0.0, 1.0))
    total = config.alpha * apt + config.beta * diversity + config.gamma * steady
    nearest = float(near[0]) if len(near) else float("inf")
    return Score(total, apt, diversity, steady, nearest)
