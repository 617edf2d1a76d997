"""The ports do what their originals do: states, endings and scores, step by step.

The expected values come from the originals themselves, run beside ours (``tests/ports``). Those of
MiniGrid need the extra ``[ports]``.
"""

from __future__ import annotations

import functools

import pytest
from ports.originals import MODULES, installed, missing
from ports.trace import Original, compare

from envs_dsl import Program, library

STEPS = 10_000
KINDS = installed()


@functools.cache
def original(kind: type[Original]) -> Original:
    return kind()


def test_every_port_has_an_original() -> None:
    assert "gymnax" not in missing()
    if not missing():
        assert {kind.port for kind in KINDS} == set(library.names("ports"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.__module__[-9:]}-{kind.port}")
def test_a_port_follows_its_original(kind: type[Original]) -> None:
    one = original(kind)
    result = compare(one, STEPS)
    assert result.differences == []
    assert result.steps >= STEPS
    # A comparison that meets no ending and no reward shows nothing.
    assert result.truncated and result.rewarded
    assert result.terminated or one.port == "freeway_minatar"  # only time ends that one


CHANGES = [
    ("cartpole_v1", "9.8 * side", "9.81 * side"),
    ("cartpole_v1", "0.20943951", "0.21"),
    ("cartpole_v1", "uniform(-0.05, 0.05)", "uniform(-0.05, 0.04)"),
    ("catch_bsuite", "randint(0, 4)", "randint(0, 3)"),
    ("catch_bsuite", "s.ball += DOWN", "s.ball += DOWN if s.t < 999 else STAY"),
    ("breakout_minatar", "row < 0:\n        row = 0", "row < 0:\n        row = 1"),
    ("breakout_minatar", "s.left == 0", "s.left <= 1"),
    ("breakout_minatar", "if s.ball.col == s.paddle.col", "if s.trail.col == s.paddle.col + 1"),
    ("breakout_minatar", "chance(0.5)", "chance(0.4)"),
    ("freeway_minatar", "randint(0, 9)", "randint(0, 8)"),
    ("freeway_minatar", "s.rest == 0 and", "s.rest <= 1 and"),
    ("freeway_minatar", "abs(speed) if rolls", "5 if rolls"),
    ("freeway_minatar", "hit or any_at", "any_at"),
    ("four_rooms_misc", "##.####", "###.###"),
    ("four_rooms_misc", "max_steps=500", "max_steps=499"),
    ("minigrid_empty", "turn_left", "turn_right"),
    ("minigrid_door_key", "and not s.has_key", ""),
    ("minigrid_door_key", "after = Tile.CLOSED", "after = Tile.LOCKED"),
    ("minigrid_door_key", "after = Tile.KEY", "after = Tile.FLOOR"),
    ("minigrid_door_key", "tile == Tile.LOCKED and s.has_key", "tile == Tile.LOCKED"),
    ("minigrid_door_key", "randint(1, 5), wall", "randint(1, 6), wall"),
    ("minigrid_four_rooms", "Pos(9, randint(1, 8))", "Pos(9, randint(1, 7))"),
    ("minigrid_lava_gap", "        draw()", "        lose()"),
    ("minigrid_lava_gap", "reward(-0.9", "reward(-0.8"),
]


@pytest.mark.parametrize(("port", "before", "after"), CHANGES)
def test_one_changed_rule_is_found_out(port: str, before: str, after: str) -> None:
    kind = next((kind for kind in KINDS if kind.port == port), None)
    if kind is None:
        pytest.skip(f"{' and '.join(set(MODULES) & set(missing()))} not installed")
    source = next(p.source for p in library.ports() if p.name == port)
    assert before in source
    changed = Program.from_source(source.replace(before, after, 1), name=port)
    assert compare(original(kind), STEPS, changed).differences
