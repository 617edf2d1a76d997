"""Roll-outs in blocks of copies are the roll-outs of all copies together."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest
from fake_backend import FakeProgram, fake_jax

from spade_jax.learner import Learner, LearnerConfig, executables, platform
from spade_jax.learner.platform import block_size

CONFIG = LearnerConfig(
    slots=2,
    copies=12,
    cohort_size=2,
    rollout_length=24,
    levels_per_copy=3,
    minibatches=2,
    hidden=16,
)
PROGRAMS = (FakeProgram(max_steps=7), FakeProgram("duel", 5))


def trained(config: LearnerConfig, monkeypatch: pytest.MonkeyPatch, block: int):  # type: ignore[no-untyped-def]
    """(what two roll-outs collected, carries after them) from one state and its parameters."""
    monkeypatch.setattr(executables, "block_size", lambda copies: block)
    learner = Learner(config, backend=fake_jax, devices=1)
    layout = learner.arrange(PROGRAMS)
    state = learner.init(0, layout)
    collected = []
    for _ in range(2):
        carries, (out,) = learner.collect(state, layout)
        collected.append(out)
        state = state._replace(carries=carries)
    return jax.tree.map(np.asarray, (collected, state.carries))


@pytest.mark.parametrize("core", ["none", "gru"])
@pytest.mark.parametrize("block", [4, 1])
def test_each_copy_does_what_it_does_among_all(
    monkeypatch: pytest.MonkeyPatch, block: int, core: str
) -> None:
    config = dataclasses.replace(CONFIG, core=core)
    together, carries = trained(config, monkeypatch, config.copies)
    apart, carried = trained(config, monkeypatch, block)
    assert any(out.episodes.ended.any() for out in together)
    assert len({int(level) for out in together for level in out.episodes.level.ravel()}) > 24
    for whole, part in ((together, apart), (carries, carried)):
        assert jax.tree.structure(whole) == jax.tree.structure(part)
        for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(part), strict=True):
            assert a.shape == b.shape and a.dtype == b.dtype
            if a.dtype == np.float32:  # matrix products of other sizes round otherwise
                np.testing.assert_allclose(a, b, atol=1e-5)
            else:
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("copies", "on_cpu"),
    [(64, 64), (256, 256), (4096, 256), (1000, 250), (512, 512), (600, 200), (1009, 1009)],
)
def test_a_cpu_steps_few_copies_at_once(
    monkeypatch: pytest.MonkeyPatch, copies: int, on_cpu: int
) -> None:
    monkeypatch.setattr(platform, "_accelerated", lambda: False)
    assert block_size(copies) == on_cpu
    monkeypatch.setattr(platform, "_accelerated", lambda: True)
    assert block_size(copies) == copies
