"""Sharing out slots, and levels."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from fake_backend import FakeProgram

from spade_jax.learner import Layout, arrange
from spade_jax.learner.levels import draw_levels, fold


def named(*names, kind="goal"):
    return [FakeProgram(kind, name=name) for name in names]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 12, 16])
def test_shares_are_even(count):
    layout = arrange(named(*map(str, range(count))), 16, 4)
    held = Counter(layout.hashes)
    assert len(held) == count and set(held.values()) <= {16 // count, -(-16 // count)}
    assert [len(cohort) for cohort in layout.cohorts] == [4] * 4


def test_bad_layouts():
    with pytest.raises(ValueError, match="cannot share out 4 slots between 5"):
        arrange(named(*"abcde"), 4, 2)
    with pytest.raises(ValueError, match="do not divide"):
        Layout(tuple(named("a", "b", "c")), 2)


def test_levels_are_a_function_of_their_key():
    program = FakeProgram()
    key = fold(np.asarray([0, 1], np.uint32), 3)
    levels = draw_levels(program, 64, key)
    assert np.array_equal(levels.seeds, draw_levels(program, 64, key).seeds)
    assert np.array_equal(levels.seeds[:8], draw_levels(program, 8, key).seeds)
    other = draw_levels(program, 64, fold(key, 1))
    assert len(np.unique(np.concatenate([levels.seeds, other.seeds]), axis=0)) == 128


def test_parameter_noise_stays_in_range():
    params = (
        SimpleNamespace(low=0.0, high=10.0, is_int=True),
        SimpleNamespace(low=-1.0, high=1.0, is_int=False),
    )
    program = SimpleNamespace(
        params=params, default_params=lambda: np.asarray([5.0, 0.0], np.float32)
    )
    key = fold(np.asarray([0, 1], np.uint32), 3)
    still = draw_levels(program, 512, key).params
    moved = draw_levels(program, 512, key, param_noise=0.1).params
    assert np.all(still == [5.0, 0.0])
    assert np.all((moved[:, 0] >= 0) & (moved[:, 0] <= 10) & (moved[:, 0] % 1 == 0))
    assert abs(moved[:, 1].std() - 0.2) < 0.03 and abs(moved[:, 1].mean()) < 0.03
