"""Settings that the platform decides where the configuration leaves them open."""

from __future__ import annotations

import jax
import pytest

from spade_jax.learner import Learner, LearnerConfig, settled
from spade_jax.learner.platform import cohort_size, short_products


@pytest.mark.parametrize(
    ("platform", "slots", "size"),
    [("cpu", 16, 1), ("gpu", 16, 4), ("tpu", 6, 3), ("gpu", 2, 2), ("gpu", 7, 1)],
)
def test_the_platform_says_how_many_programs_share_an_executable(
    monkeypatch, platform, slots, size
):
    monkeypatch.setattr(jax, "default_backend", lambda: platform)
    config = LearnerConfig(slots=slots)
    assert cohort_size(config) == size
    assert settled(config) == LearnerConfig(slots=slots, cohort_size=size)


def test_what_is_set_is_kept(monkeypatch):
    config = LearnerConfig(slots=16, cohort_size=8)
    for platform in ("cpu", "gpu"):
        monkeypatch.setattr(jax, "default_backend", lambda platform=platform: platform)
        assert settled(config) == config


def test_a_learner_goes_by_it():
    learner = Learner(LearnerConfig(slots=4, copies=4, rollout_length=4, minibatches=2))
    assert jax.default_backend() != "cpu" or learner.cohorts.size == 1


def test_products_are_short_where_there_is_an_accelerator(monkeypatch):
    for platform, short in (("cpu", False), ("gpu", True)):
        monkeypatch.setattr(jax, "default_backend", lambda platform=platform: platform)
        assert short_products(LearnerConfig()) is short
        assert short_products(LearnerConfig(precision="bfloat16"))
        assert not short_products(LearnerConfig(precision="float32"))
