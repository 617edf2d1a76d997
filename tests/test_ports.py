"""The ports do what their originals do: states, endings and scores, step by step.

The expected values come from the originals themselves, run beside ours (``tests/ports``).
"""

from __future__ import annotations

import functools

import pytest
from ports.of_gymnax import GYMNAX, Gymnax
from ports.trace import Original, compare

from envs_dsl import Program, library

STEPS = 10_000
GYMNAX_BY_PORT = {kind.port: kind for kind in GYMNAX}


@functools.cache
def original(port: str) -> Gymnax:
    return GYMNAX_BY_PORT[port]()


def check(one: Original, steps: int = STEPS) -> None:
    result = compare(one, steps)
    assert result.differences == []
    assert result.steps >= steps
    # A comparison that meets no ending and no reward shows nothing.
    assert result.truncated and result.rewarded
    assert result.terminated or one.port == "freeway_minatar"  # only time ends that one


@pytest.mark.parametrize("port", sorted(GYMNAX_BY_PORT))
def test_a_port_of_gymnax_follows_its_original(port: str) -> None:
    check(original(port))


CHANGES = [
    ("cartpole_v1", "9.8 * side", "9.81 * side"),
    ("cartpole_v1", "0.20943951", "0.21"),
    ("cartpole_v1", "uniform(-0.05, 0.05)", "uniform(-0.05, 0.04)"),
    ("catch_bsuite", "randint(0, 4)", "randint(0, 3)"),
    (
        "catch_bsuite",
        "s.ball += DOWN",
        "s.ball += DOWN\n    if chance(0.001):\n        s.ball += LEFT",
    ),
    ("breakout_minatar", "row < 0:\n        row = 0", "row < 0:\n        row = 1"),
    ("breakout_minatar", "not any(s.bricks)", "count(s.bricks) < 2"),
    ("breakout_minatar", "if s.ball.col == s.paddle.col", "if s.trail.col == s.paddle.col + 1"),
    ("breakout_minatar", "chance(0.5)", "chance(0.4)"),
    ("freeway_minatar", "randint(0, 9)", "randint(0, 8)"),
    ("freeway_minatar", "s.rest == 0 and", "s.rest <= 1 and"),
    ("freeway_minatar", "            car.timer = abs(car.speed)\n        if", "        if"),
    ("four_rooms_misc", "##.####", "###.###"),
    ("four_rooms_misc", "max_steps=500", "max_steps=499"),
]


@pytest.mark.parametrize(("port", "before", "after"), CHANGES)
def test_one_changed_rule_is_found_out(port: str, before: str, after: str) -> None:
    source = next(p.source for p in library.ports() if p.name == port)
    assert before in source
    changed = Program.from_source(source.replace(before, after, 1), name=port)
    assert compare(original(port), STEPS, changed).differences
