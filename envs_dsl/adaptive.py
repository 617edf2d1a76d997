"""Difficulty that follows success: a pure rule, and the little it remembers.

    state = start()
    state = update(state, success=True)          # after every episode
    program.params_at(state.difficulty)          # the next level's parameters

The rule looks at the last ``window`` episodes played at one difficulty. A success rate above
``high`` multiplies the difficulty by ``raise_by``, one below ``low`` by ``lower_by``; in between it
stays. After a change the window starts afresh: episodes of an easier level say nothing of the new
one, and would otherwise raise it again and again.

Difficulty lies on the scale of ``Program.params_at``: 0 puts every parameter at its easiest bound,
0.5 at its declared value, 1 at its hardest. It is a share of a range, not a quantity with a zero of
its own, so a factor alone would never leave 0 and would crawl near it. Therefore a change is at
least ``least_change``; and, so that there are no cliffs, at most ``most_change``. With the default
numbers ×1.2 holds from 0.1 to 0.5, ×0.9 from 0.2 up; from 0 to 1 it takes 19 raises.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

__all__ = ["AdaptiveConfig", "AdaptiveState", "moved", "start", "update"]


@dataclasses.dataclass(frozen=True, slots=True)
class AdaptiveConfig:
    """The numbers of the rule.

    Attributes:
      window: episodes that a decision rests on.
      low: success rate below which it gets easier (at it, it stays).
      high: success rate above which it gets harder (at it, it stays).
      raise_by: factor of a change to harder, above 1.
      lower_by: factor of a change to easier, below 1.
      lowest: least difficulty, within 0 to 1.
      highest: greatest difficulty, within 0 to 1.
      initial: where it starts.
      least_change: smallest change, in difficulty.
      most_change: greatest change, in difficulty.

    Raises:
      ValueError: numbers that contradict each other; the message names them.
    """

    window: int = 20
    low: float = 0.3
    high: float = 0.8
    raise_by: float = 1.2
    lower_by: float = 0.9
    lowest: float = 0.0
    highest: float = 1.0
    initial: float = 0.25
    least_change: float = 0.02
    most_change: float = 0.1

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ValueError(f"window must be 1 or more, not {self.window}")
        if not 0 <= self.low < self.high <= 1:
            raise ValueError(f"need 0 <= low < high <= 1, not {self.low} and {self.high}")
        if not self.raise_by > 1 > self.lower_by >= 0:
            raise ValueError(
                f"need raise_by > 1 > lower_by >= 0, not {self.raise_by} and {self.lower_by}"
            )
        if not 0 <= self.lowest <= self.initial <= self.highest <= 1:
            raise ValueError(
                "need 0 <= lowest <= initial <= highest <= 1, not "
                f"{self.lowest}, {self.initial} and {self.highest}"
            )
        if not 0 < self.least_change <= self.most_change:
            raise ValueError(
                "need 0 < least_change <= most_change, not "
                f"{self.least_change} and {self.most_change}"
            )


@dataclasses.dataclass(frozen=True, slots=True)
class AdaptiveState:
    """What the rule remembers; plain JSON by ``as_json`` and ``from_json``.

    Attributes:
      difficulty: of the next episode.
      recent: successes at this difficulty, the oldest first, at most ``window`` of them.
      episodes: how many there were in all.
    """

    difficulty: float
    recent: tuple[bool, ...] = ()
    episodes: int = 0

    @property
    def success_rate(self) -> float | None:
        """Share of ``recent``; None before the first episode at this difficulty."""
        return sum(self.recent) / len(self.recent) if self.recent else None

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "difficulty": self.difficulty,
            "recent": list(self.recent),
            "episodes": self.episodes,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> AdaptiveState:
        """The state that ``as_json`` wrote.

        Raises:
          ValueError: it is not such a document.
        """
        try:
            difficulty, episodes = float(document["difficulty"]), int(document["episodes"])
            recent = tuple(bool(s) for s in document["recent"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a state of the adaptive difficulty: {error}") from None
        if not 0 <= difficulty <= 1 or episodes < len(recent):
            raise ValueError(f"not a state of the adaptive difficulty: {dict(document)}")
        return cls(difficulty, recent, episodes)


def start(config: AdaptiveConfig | None = None) -> AdaptiveState:
    """The state before the first episode."""
    return AdaptiveState((config or AdaptiveConfig()).initial)


def update(
    state: AdaptiveState, success: bool, config: AdaptiveConfig | None = None
) -> AdaptiveState:
    """The state after one more episode, played at ``state.difficulty``."""
    config = config or AdaptiveConfig()
    recent = (*state.recent, bool(success))[-config.window :]
    difficulty = state.difficulty
    if len(recent) == config.window:
        difficulty = moved(difficulty, sum(recent) / config.window, config)
    if difficulty != state.difficulty:
        recent = ()
    return AdaptiveState(difficulty, recent, state.episodes + 1)


def moved(difficulty: float, success_rate: float, config: AdaptiveConfig | None = None) -> float:
    """The difficulty that follows on a success rate: the rule itself, whatever counted it."""
    config = config or AdaptiveConfig()
    if success_rate > config.high:
        return min(_changed(difficulty, config.raise_by, config), config.highest)
    if success_rate < config.low:
        return max(_changed(difficulty, config.lower_by, config), config.lowest)
    return difficulty


def _changed(difficulty: float, factor: float, config: AdaptiveConfig) -> float:
    change = min(
        max(abs(difficulty * (factor - 1)), config.least_change),
        config.most_change,
    )
    return difficulty + change if factor > 1 else difficulty - change
