"""What the learner can and cannot do: its success rate on each skill, with uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scipy.special import betaincinv  # what scipy.stats.beta.ppf calls, at a third of the import

from spade_jax.types import SkillEstimate

__all__ = ["capability_profile"]


def capability_profile(
    results: Iterable[tuple[Sequence[str], int, int]], level: float = 0.95
) -> tuple[SkillEstimate, ...]:
    """Pool the counts of all programs that carry a skill.

    Args:
      results: (skills, successes, episodes) of each program; a program of several skills counts
        for each of them.
      level: mass of the central credible interval.

    Returns:
      One estimate a skill, sorted by name: mean and interval of Beta(1 + successes, 1 + failures).
      Skills without an episode do not appear: there is no score without data.
    """
    counts: dict[str, list[int]] = {}
    for skills, successes, episodes in results:
        if not 0 <= successes <= episodes:
            raise ValueError(f"{successes} successes of {episodes} episodes")
        if episodes == 0:
            continue
        for skill in skills:
            entry = counts.setdefault(skill, [0, 0, 0])
            entry[0] += successes
            entry[1] += episodes
            entry[2] += 1
    tail = (1.0 - level) / 2.0
    profile = []
    for skill, (won, total, programs) in sorted(counts.items()):
        a, b = 1.0 + won, 1.0 + total - won
        low, high = float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1.0 - tail))
        profile.append(SkillEstimate(skill, a / (a + b), low, high, programs, total))
    return tuple(profile)
