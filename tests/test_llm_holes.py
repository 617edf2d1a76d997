"""Typed holes: which places a program has, and what becomes of an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envs_dsl import Program, check
from spade_jax.generator.llm import Request
from spade_jax.generator.llm.holes import Hole, fill, hole_of, holes, shape

LIBRARY = Path(__file__).parent.parent / "envs_dsl" / "library"
STARS = '''"""Collect the stars and keep away from the pits."""
game = Game(size=(7, 7), max_steps=60)

STARS = Param(3, 1, 5, harder="up")  # how many
STEP = 0.1

class Tile(Enum):
    FLOOR = Look(".", "black")
    STAR = Look("*", "gold", item=True)

class State:
    agent: Pos
    board: Grid(Tile) = Tile.FLOOR

def reset(s):
    for k in range(5):
        if k < STARS:
            s.board[random_cell(s.board == Tile.FLOOR)] = Tile.STAR

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.STAR:
        s.board[s.agent] = Tile.FLOOR
        reward(STEP)
    if not any(s.board == Tile.STAR):
        win()
'''


def program() -> Program:
    return Program.from_source(STARS)


def of(kind: str, old: str) -> Hole:
    return next(h for h in holes(program()) if h.kind == kind and h.old == old)


def test_every_place_is_listed_with_what_stands_there() -> None:
    found = [(h.kind, h.old.split("\n")[0], h.line) for h in holes(program())]
    assert found == [
        ("constant", "3", 4),
        ("constant", "0.1", 5),
        ("constant", "5", 16),
        ("guard", "k < STARS", 17),
        ("guard", "s.board[s.agent] == Tile.STAR", 22),
        ("guard", "not any(s.board == Tile.STAR)", 25),
        ("rule", "    if s.board[s.agent] == Tile.STAR:", 22),
        ("rule", "    if not any(s.board == Tile.STAR):", 25),
        ("rule", "", 27),
        ("entity", "", 1),
    ]
    assert all(STARS[h.start : h.end] == h.old for h in holes(program()))


def test_a_number_keeps_its_bounds() -> None:
    hole = of("constant", "3")
    assert (hole.low, hole.high, hole.whole) == (1, 5, True)
    assert "STARS = Param(4, 1, 5" in fill(program(), hole, " 4\n")
    for text, why in (("6", "1 to 5"), ("2.5", "whole"), ("STARS", "number"), ("", "empty")):
        with pytest.raises(ValueError, match=why):
            fill(program(), hole, text)


def test_a_guard_takes_an_expression_or_a_whole_head() -> None:
    hole = of("guard", "not any(s.board == Tile.STAR)")
    for text in ("s.t > 9", "if s.t > 9:", "```python\nif s.t > 9:\n```"):
        assert "    if s.t > 9:\n        win()\n" in fill(program(), hole, text)
    for text in ("s.t >", "a\nb", "x = 1", "import os"):
        with pytest.raises(ValueError):
            fill(program(), hole, text)


def test_thoughts_before_an_answer_are_no_part_of_it() -> None:
    hole = of("constant", "3")
    long = "I could take 2, or 5. " * 400  # more than an answer may have
    for thought in (
        f"<think>\n{long}</think>\n\n",
        f"{long}\n</think>\n",
        "<reasoning>2</reasoning>",
    ):
        assert fill(program(), hole, f"{thought}4") == fill(program(), hole, "4")
    with pytest.raises(ValueError, match="empty"):
        fill(program(), hole, "<think>\n4")  # cut off while it thought


def test_a_rule_is_put_at_the_end_or_in_place_of_another() -> None:
    rule = "if s.t > 50:\n    lose()"
    added = fill(program(), of("rule", ""), rule)
    assert added == STARS + "    if s.t > 50:\n        lose()\n"
    assert check(added).ok
    old = next(h for h in holes(program()) if h.kind == "rule" and "any" in h.old)
    assert fill(program(), old, rule + "\nwin()").endswith("        lose()\n    win()\n")


BAT = """```
SPEED = Param(0.5, 0.1, 1.0, harder="up")

class Bat(Row):
    pos: Pos

class Tile(Enum):
    PIT = Look("O", "red", hazard=True)

class State:
    bats: Table(Bat, 2)

def reset(s):
    spawn(s.bats, pos=Pos(0, 0))
    s.board[Pos(6, 6)] = Tile.PIT

def step(s, act):
    for bat in s.bats:
        if chance(SPEED):
            bat.pos = try_move(bat.pos, random_dir())
        if bat.pos == s.agent or s.board[s.agent] == Tile.PIT:
            lose()
```"""


def test_an_entity_goes_under_the_heads_that_it_belongs_to() -> None:
    hole = holes(program())[-1]
    text = fill(program(), hole, BAT)
    assert check(text).ok, check(text).diagnostics
    assert "# how many\nSTEP = 0.1\nSPEED = Param" in text
    assert '"gold", item=True)\n    PIT = Look' in text
    assert "= Tile.FLOOR\n    bats: Table(Bat, 2)\n" in text
    assert text.index("class Bat") < text.index("class State")
    for answer in ("win()", "def step(s, act): win()", "class X(", "import os", "x" * 9000):
        with pytest.raises(ValueError):
            fill(program(), hole, answer)


def test_holes_travel_as_json_in_a_request() -> None:
    for hole in holes(program()):
        request = Request("r0-edit-0", "edit", (), shape=shape(program(), hole))
        assert len(request.key) == 64
        assert hole_of(json.loads(json.dumps(request.shape))) == (STARS, hole)
    for bad in ({}, {"hole": 3}, {"hole": {"source": ""}}, {"hole": {"source": "", "x": 1}}):
        with pytest.raises(ValueError):
            hole_of(bad)


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*/*.py"))[::4], ids=lambda p: p.stem)
def test_filling_a_hole_with_what_stood_there_changes_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    whole = Program.from_source(text)
    found = holes(whole)
    assert {"guard", "rule", "entity"} <= {h.kind for h in found}
    for hole in found:
        if (hole.old and "\n" not in hole.old) or (hole.kind == "rule" and hole.old):
            assert fill(whole, hole, hole.old) == text, hole
