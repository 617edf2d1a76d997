"""How a local model is tuned on its own programs."""

from __future__ import annotations

import dataclasses
from typing import Literal

__all__ = ["TuningConfig"]


@dataclasses.dataclass(frozen=True)
class TuningConfig:
    """Rejection-sampling or reward-weighted fine-tuning (``llm.tune_every`` turns it on).

    Each tuning starts from the model as it came, on all examples kept so far, so that it depends on
    them alone. It takes about ``steps`` · ``batch`` · 2 s for 135M parameters and 512 tokens on one
    CPU thread.

    Attributes:
      weights: of an example: "accepted" takes every program that passed all gates alike (STaR,
        arXiv 2203.14465; ReST-EM, arXiv 2312.06585), "reward" by the worth of its outcome
        (reward-weighted regression, Peters and Schaal 2007; ``generator.bandit.reward``).
      method: "lora" trains a low-rank addition (arXiv 2106.09685), "full" all weights, for the
        smallest models: 16 bytes a parameter in memory, 2 on disk each time.
      rank: of the addition.
      rate: learning rate at its highest; about a tenth of the default for "full".
      steps: of the optimiser.
      batch: examples a step.
      tokens: longest example; a prompt that is longer with its answer loses its beginning.
      least: fewer examples are not worth while.
      most: latest examples that are kept.
      seconds: a tuning that takes longer is ended, and counts for nothing.
    """

    weights: Literal["accepted", "reward"] = "accepted"
    method: Literal["lora", "full"] = "lora"
    rank: int = 8
    rate: float = 2e-4
    steps: int = 40
    batch: int = 2
    tokens: int = 1024
    least: int = 8
    most: int = 256
    seconds: float = 3600.0

    def __post_init__(self) -> None:
        for name in ("rank", "steps", "batch", "least", "most"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.tokens < 64:
            raise ValueError(f"tokens is {self.tokens}; it must be at least 64")
        for name in ("rate", "seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be greater than 0")
        if self.least > self.most:
            raise ValueError(f"least is {self.least}; it must not be above most, {self.most}")
