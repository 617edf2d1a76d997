"""What whole episodes say about a success rate: the Beta(1 + successes, 1 + failures) posterior.

All functions broadcast over arrays of counts and return float64 arrays (or NumPy scalars).
``scipy.special`` is used rather than ``scipy.stats``: the same functions, at a third of the import.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv

from spade_jax.types import Evaluation

__all__ = ["Posterior", "evaluation", "interval", "mass", "mean"]


def _shape(
    successes: ArrayLike, episodes: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    s, n = np.asarray(successes, np.float64), np.asarray(episodes, np.float64)
    if np.any((s < 0) | (s > n)):
        raise ValueError("successes must lie between 0 and episodes")
    return 1.0 + s, 1.0 + n - s


def mean(successes: ArrayLike, episodes: ArrayLike) -> Any:
    """Posterior mean, (1 + s) / (2 + n). Raises ValueError unless 0 ≤ successes ≤ episodes."""
    a, b = _shape(successes, episodes)
    return a / (a + b)


def interval(successes: ArrayLike, episodes: ArrayLike, level: float = 0.95) -> tuple[Any, Any]:
    """Central credible interval: (low, high) with ``level`` of the mass between them."""
    a, b = _shape(successes, episodes)
    tail = (1.0 - level) / 2.0
    return betaincinv(a, b, tail), betaincinv(a, b, 1.0 - tail)


def mass(successes: ArrayLike, episodes: ArrayLike, low: float = 0.0, high: float = 1.0) -> Any:
    """Posterior probability that the success rate lies in [low, high]."""
    a, b = _shape(successes, episodes)
    return betainc(a, b, high) - betainc(a, b, low)


@dataclasses.dataclass(frozen=True)
class Posterior:
    """One program's counts, and what follows from them."""

    successes: int
    episodes: int

    @property
    def mean(self) -> float:
        """Posterior mean; 0.5 without data."""
        return float(mean(self.successes, self.episodes))

    @property
    def interval(self) -> tuple[float, float]:
        """Central 95 % interval."""
        low, high = interval(self.successes, self.episodes)
        return float(low), float(high)

    def mass(self, low: float, high: float) -> float:
        """Probability of [low, high]."""
        return float(mass(self.successes, self.episodes, low, high))


def evaluation(
    program_hash: str,
    iteration: int,
    successes: int,
    episodes: int,
    env_steps: int,
    mean_return: float = 0.0,
    mean_length: float = 0.0,
) -> Evaluation:
    """The ``Evaluation`` record of some counts (posterior mean and interval filled in)."""
    posterior = Posterior(int(successes), int(episodes))
    low, high = posterior.interval
    return Evaluation(
        program_hash=program_hash,
        iteration=iteration,
        successes=posterior.successes,
        episodes=posterior.episodes,
        mean=posterior.mean,
        low=low,
        high=high,
        env_steps=int(env_steps),
        mean_return=float(mean_return),
        mean_length=float(mean_length),
    )
