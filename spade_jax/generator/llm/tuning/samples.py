"""Which of a model's own answers it learns from, and with what weight; nothing heavy is needed."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from spade_jax.generator.bandit import reward
from spade_jax.types import Outcome

__all__ = ["Sample", "gather", "sample_of", "samples_of", "schedule"]

_FILLED = ("parameters", "holes")


@dataclasses.dataclass(frozen=True)
class Sample:
    """An answer worth learning from.

    Attributes:
      request: key of what was asked (``Request.key``), which the run's journal has.
      answer: SHA-256 of the text that is to be answered, 16 digits.
      weight: greater than 0. round: in which it was proposed.
      program: the text to be answered where it is not the answer as it came: the program after
        normalising, repair and salvage. "" where it is.
    """

    request: str
    answer: str
    weight: float
    round: int
    program: str = ""


def samples_of(outcomes: Iterable[Outcome], weights: str = "accepted") -> tuple[Sample, ...]:
    """One sample for each program that passed every gate of the executor.

    Args:
      outcomes: of one generator's own proposals. weights: see ``TuningConfig``.
    """
    found = []
    for outcome in outcomes:
        worth = (1.0 if weights == "accepted" else reward(outcome)) if outcome.verdict.ok else 0.0
        if worth > 0.0 and (sample := sample_of(outcome, worth)) is not None:
            found.append(sample)
    return tuple(found)


def sample_of(outcome: Outcome, weight: float = 1.0) -> Sample | None:
    """What was asked and what should be answered; None where that cannot be said.

    A program that came of repairs is the answer to what was asked first, so that the model learns
    to write it at once. A piece of a program is taken only as it came.
    """
    proposal, receipt = outcome.proposal, outcome.proposal.receipt
    steps = [s for s in _records(receipt.get("steps")) if s.get("kept") and s.get("exchange")]
    asked = [s for s in steps if s.get("step") != "repair"]
    told = receipt.get("response")
    if not asked or not isinstance(told, str):
        return None
    request = str(asked[-1]["exchange"])
    whole = receipt.get("salvaged") or any(_changed(s) for s in steps) or steps[-1] != asked[-1]
    # An answer that is cut in the receipt may be a program and more.
    whole = whole or receipt.get("finish") != "stop"
    if proposal.operator in _FILLED and whole:
        return None
    text = proposal.source if whole else told
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Sample(request, digest, weight, proposal.round, text if whole else "")


def _changed(step: Mapping[str, Any]) -> bool:
    return bool(step.get("codes") or step.get("mended")) or step.get("programs") != 1


def _records(value: Any) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []


def gather(old: Sequence[Sample], new: Iterable[Sample], most: int) -> tuple[Sample, ...]:
    """The latest ``most`` samples, no answer twice: the later one stays, with the greater weight.

    A model that wrote the same text often would otherwise learn to write nothing else.
    """
    kept: dict[str, Sample] = {}
    for sample in (*old, *new):
        before = kept.pop(sample.answer, None)
        if before is not None and before.weight > sample.weight:
            sample = dataclasses.replace(sample, weight=before.weight)
        kept[sample.answer] = sample
    return tuple(kept.values())[-most:]


def schedule(weights: Sequence[float], steps: int, batch: int, seed: int) -> np.ndarray:
    """Which example is learned from when: int64[steps, batch], indices into ``weights``.

    Each example comes up as often as its share of the weight says, rounded up or down (systematic
    resampling), in an order drawn from ``seed``.

    Raises:
      ValueError: there is no positive weight.
    """
    shares = np.asarray(weights, np.float64)
    if not shares.size or not np.all(np.isfinite(shares)) or shares.min() < 0 or shares.sum() <= 0:
        raise ValueError("there is nothing to learn from: no example has a positive weight")
    rng = np.random.default_rng(seed)
    n = steps * batch
    points = (np.arange(n) + rng.random()) / n
    index = np.searchsorted(np.cumsum(shares) / shares.sum(), points, side="right")
    return rng.permutation(np.minimum(index, len(shares) - 1)).reshape(steps, batch)
