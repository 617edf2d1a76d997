"""What the settings that are left open come to on the platform that JAX runs on."""

from __future__ import annotations

import dataclasses

import jax

from spade_jax.learner.config import LearnerConfig

__all__ = ["block_size", "cohort_size", "settled", "short_products"]

_LARGEST = 4
"""Slots of a cohort on an accelerator: half the calls of two, and still cheap to compile anew."""

_BLOCK = 256
"""Copies that a CPU steps together where there are many: what they touch stays in its cache. Up to
twice as many cost less together than in two blocks."""


def block_size(copies: int) -> int:
    """How many of a slot's copies roll out together, a divisor of ``copies``.

    All of them on an accelerator, and where they divide into nothing but small blocks.
    """
    if _accelerated() or copies <= 2 * _BLOCK:
        return copies
    found = next(size for size in range(_BLOCK, 0, -1) if copies % size == 0)
    return found if found >= _BLOCK // 4 else copies


def cohort_size(config: LearnerConfig) -> int:
    """Slots stepped by one executable, see ``LearnerConfig.cohort_size``."""
    if config.cohort_size is not None:
        return config.cohort_size
    largest = _LARGEST if _accelerated() else 1
    return next(size for size in range(largest, 0, -1) if config.slots % size == 0)


def settled(config: LearnerConfig) -> LearnerConfig:
    """``config`` with the cohort size that it comes to here.

    Which programs share an executable decides where newcomers go, so a run that moves to another
    platform has to keep it.
    """
    return dataclasses.replace(config, cohort_size=cohort_size(config))


def short_products(config: LearnerConfig) -> bool:
    """Whether matrix products of an update are bfloat16, see ``LearnerConfig.precision``."""
    return config.precision == "bfloat16" or (config.precision == "auto" and _accelerated())


def _accelerated() -> bool:
    return jax.default_backend() != "cpu"
