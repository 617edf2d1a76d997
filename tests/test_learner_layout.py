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


def test_refreshed_pools_are_fresh_draws():
    """Over refreshes and slots no level comes again, and what a program makes of a few of its bits
    repeats as often as independent draws do."""
    program, size, draws, slots = FakeProgram(), 256, 40, 16
    root = np.asarray([7, 8], np.uint32)
    pools = [
        draw_levels(program, size, fold(root, 2, draw, slot)).seeds
        for draw in range(draws)
        for slot in range(slots)
    ]
    seeds = np.concatenate(pools)
    count = len(seeds)
    # 64 bits: the chance that any two of 163,840 are equal is 7e-10.
    assert len(np.unique(seeds.view(np.uint64))) == count == size * draws * slots
    other = draw_levels(program, size, fold(root + np.uint32(1), 2, 0, 0)).seeds
    assert not np.isin(other.view(np.uint64), seeds.view(np.uint64)).any()
    # 20 bits of either word: c draws a value, of which e^-c are missed; variance by occupancy.
    values = 2**20
    c = count / values
    expected = values * (1.0 - np.exp(-c))
    deviation = np.sqrt(values * (np.exp(-c) - (1.0 + c) * np.exp(-2.0 * c)))
    for word in seeds.view(np.uint32).T:
        for part in (word & np.uint32(values - 1), word >> np.uint32(12)):
            assert abs(len(np.unique(part)) - expected) < 5.0 * deviation
    # The same slot one refresh later: nothing carried over, value by value.
    bits = np.unpackbits(seeds.view(np.uint8).reshape(draws, -1), axis=1)
    agree = (bits[1:] == bits[:-1]).mean(axis=1)
    assert np.all(np.abs(agree - 0.5) < 5.0 * 0.5 / np.sqrt(bits.shape[1]))
