"""The learner's settings."""

from __future__ import annotations

import dataclasses
from typing import Literal

__all__ = ["LearnerConfig"]


@dataclasses.dataclass(frozen=True)
class LearnerConfig:
    """Settings of network, cohorts and PPO; ``slots × copies`` environments are stepped at once.

    Attributes:
      slots: programs trained on at once (a program may hold several slots).
      copies: environments of each slot.
      cohort_size: slots stepped by one executable. One newcomer recompiles its cohort, so small
        cohorts mean less waiting and large ones fewer executables. None is the platform's: on a CPU
        1, which measures best there (``benchmarks.round``); on an accelerator, where starting an
        executable costs more, the largest divisor of ``slots`` up to 4, which was measured on none.
      rollout_length: steps between two updates.
      levels_per_copy: levels of the reset pool for each copy; also the most episodes of a copy
        between two refreshes before it sees a level again (its own, with other noise).
      pool_refresh: roll-outs between two refreshes of the reset pool.
      param_noise: domain randomisation. Each level's parameters are moved by this share of their
        range (standard deviation of a normal); 0 plays the declared values.
      hidden: width of the hidden layers.
      cell_embedding: numbers a cell of the view is reduced to.
      core: what remembers between steps: nothing, or a gated recurrent unit as wide as ``hidden``.
        With one the minibatches are of whole sequences (environments), not of rows.
      epochs: passes over a roll-out.
      minibatches: updates in one pass.
      learning_rate: Adam's.
      max_grad_norm: gradients are scaled down to this global norm.
      gamma: discount.
      gae_lambda: decay of the advantage estimator.
      clip: how far the probability ratio counts.
      value_clip: how far the value may move in one update; None for no limit.
      entropy: weight of the entropy bonus.
      value_coef: weight of the value loss.
      advantage_floor: smallest standard deviation that advantages are divided by, so that a slot
        without any signal does not have its noise blown up to the size of the others.
      precision: of the matrix products of an update. "bfloat16" rounds what goes into them and
        what comes out; parameters and all else stay float32. "auto" is bfloat16 where there is an
        accelerator. A recurrent core is always trained in float32.
      cache_size: cohorts whose executables are kept, at least twice those of a layout; the least
        recently used ones are freed beyond that.
    """

    slots: int = 16
    copies: int = 64
    cohort_size: int | None = None
    rollout_length: int = 16
    levels_per_copy: int = 4
    pool_refresh: int = 8
    param_noise: float = 0.0
    hidden: int = 128
    cell_embedding: int = 8
    core: Literal["none", "gru"] = "none"
    epochs: int = 3
    minibatches: int = 32
    learning_rate: float = 1e-3
    max_grad_norm: float = 0.5
    gamma: float = 0.99
    gae_lambda: float = 0.9
    clip: float = 0.2
    value_clip: float | None = None
    entropy: float = 0.02
    value_coef: float = 0.5
    advantage_floor: float = 0.02
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    cache_size: int = 32

    def __post_init__(self) -> None:
        positive = (
            *("slots", "copies", "cohort_size", "rollout_length", "levels_per_copy"),
            *("pool_refresh", "hidden", "cell_embedding", "epochs", "minibatches", "cache_size"),
        )
        for name in positive:
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"learner.{name} is {value}; it must be at least 1")
        for name in ("learning_rate", "max_grad_norm"):
            if getattr(self, name) <= 0:
                raise ValueError(f"learner.{name} is {getattr(self, name)}; it must be above 0")
        if self.cohort_size is not None and self.slots % self.cohort_size:
            raise ValueError(
                f"learner.cohort_size {self.cohort_size} does not divide learner.slots {self.slots}"
            )
        if self.core not in ("none", "gru"):
            raise ValueError(f"learner.core is {self.core!r}; it must be 'none' or 'gru'")
        if self.precision not in ("auto", "float32", "bfloat16"):
            raise ValueError(
                f"learner.precision is {self.precision!r}; it must be 'auto', 'float32' or "
                "'bfloat16'"
            )
        if self.core == "gru" and self.batch % self.minibatches:
            raise ValueError(
                f"learner.minibatches {self.minibatches} does not divide the {self.batch} "
                "environments (slots × copies), whose sequences a recurrent core is trained on"
            )
        if self.core == "none" and self.slot_rows % self.minibatches:
            raise ValueError(
                f"learner.minibatches {self.minibatches} does not divide the {self.slot_rows} rows "
                "of a slot (copies × rollout_length)"
            )
        for name in ("gamma", "gae_lambda"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"learner.{name} is {getattr(self, name)}; it must lie in 0..1")

    @property
    def batch(self) -> int:
        """Environments stepped at once."""
        return self.slots * self.copies

    @property
    def slot_rows(self) -> int:
        """Rows of one slot in one roll-out."""
        return self.copies * self.rollout_length

    @property
    def pool_size(self) -> int:
        """Levels in a slot's reset pool."""
        return self.copies * self.levels_per_copy
