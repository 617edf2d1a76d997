"""What the next program should be: skill, difficulty, mechanism and theme, from the run's state."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import numpy as np

from envs_dsl.language.vocabulary import SKILLS
from spade_jax.generator.llm.prompt.mechanisms import cells_of
from spade_jax.generator.llm.prompt.themes import Theme, draw_theme
from spade_jax.types import Context, SkillEstimate

__all__ = ["DIRECTIONS", "Aim", "aim", "aims", "direction_of", "rng_of", "skill_weights"]

DIRECTIONS = ("easier", "same", "harder")

_STREAM = 0x70726F6D7074  # apart from every other user of the context's seed


@dataclasses.dataclass(frozen=True)
class Aim:
    """What is wanted of one proposal.

    Attributes:
      skill: one of the vocabulary's. direction: of difficulty, against what the learner knows of
        that skill: "easier", "same" or "harder". low, high, target: success rates.
      theme: what it may be about.
      mechanism: a behaviour feature that programs of the skill lack ("" if none is wanted).
    """

    skill: str
    direction: str
    low: float
    high: float
    target: float
    theme: Theme
    mechanism: str = ""

    def as_json(self) -> dict[str, object]:
        """For a receipt."""
        return {
            "skill": self.skill,
            "direction": self.direction,
            "band": [self.low, self.high],
            "target": self.target,
            "theme": self.theme.text,
            "family": self.theme.family,
            "mechanism": self.mechanism,
        }


def rng_of(context: Context, stream: int = 0) -> np.random.Generator:
    """Randomness of one round: a function of the context's seed and round, and of ``stream``."""
    words = [_STREAM, context.seed & 0xFFFFFFFFFFFFFFFF, context.round, stream]
    return np.random.default_rng(words)


def skill_weights(context: Context) -> dict[str, float]:
    """Skill → probability of being asked for; sum 1.

    (0.1 + weakness + uncertainty) · (1 + rarity): weakness is 1 − success (0.5 where nothing is
    known), uncertainty the width of its interval (1 where nothing is known), rarity 1 / (1 + active
    programs of the skill).
    """
    known = _profile(context)
    weights = {}
    for skill in SKILLS:
        estimate = known.get(skill)
        weak = 0.5 if estimate is None else 1.0 - estimate.mean
        unsure = 1.0 if estimate is None else max(0.0, estimate.high - estimate.low)
        rare = 1.0 / (1 + sum(skill in v.skills for v in context.pool if v.active))
        weights[skill] = max(0.0, 0.1 + weak + unsure) * (1.0 + rare)
    whole = sum(weights.values())
    return {skill: weight / whole for skill, weight in weights.items()}


def direction_of(success: float | None, context: Context) -> str:
    """Which way to go from a success rate: towards the band; "same" inside it, or if unknown."""
    low, high = context.band
    if success is None or low <= success <= high:
        return "same"
    return "harder" if success > high else "easier"


def aim(
    context: Context,
    rng: np.random.Generator,
    *,
    skill: str | None = None,
    family: str | None = None,
    without: Collection[str] = (),
) -> Aim:
    """One aim, drawn from ``rng`` alone.

    Args:
      context: the run's state. rng: see ``rng_of``.
      skill: take this one instead of drawing by ``skill_weights``.
      family: of the theme (a bandit's choice). without: texts of themes not to be drawn.

    Raises:
      ValueError: no such skill or family.
    """
    if skill is None:
        weights = skill_weights(context)
        skill = str(rng.choice(SKILLS, p=np.array([weights[s] for s in SKILLS])))
    elif skill not in SKILLS:
        raise ValueError(f"unknown skill {skill!r}; known: {', '.join(SKILLS)}")
    estimate = _profile(context).get(skill)
    low, high = context.band
    return Aim(
        skill=skill,
        direction=direction_of(None if estimate is None else estimate.mean, context),
        low=low,
        high=high,
        target=context.target,
        theme=draw_theme(rng, family, without),
        mechanism=_mechanism(context, skill, rng),
    )


def aims(
    context: Context, n: int, *, stream: int = 0, family: str | None = None
) -> tuple[Aim, ...]:
    """``n`` aims for one round, with different themes as long as there are enough."""
    rng = rng_of(context, stream)
    found: list[Aim] = []
    for _ in range(n):
        taken = {a.theme.text for a in found}
        found.append(aim(context, rng, family=family, without=taken))
    return tuple(found)


def _mechanism(context: Context, skill: str, rng: np.random.Generator) -> str:
    """One of the mechanisms that fewest programs of the skill have."""
    counts = {name: n for (s, name), n in cells_of(context.pool).items() if s == skill}
    fewest = [name for name, n in counts.items() if n == min(counts.values())]
    return fewest[int(rng.integers(len(fewest)))]


def _profile(context: Context) -> dict[str, SkillEstimate]:
    return {e.skill: e for e in context.profile}
