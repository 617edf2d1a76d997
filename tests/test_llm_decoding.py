"""Constrained decoding without a model: noise under a script is a program, a rule, a number."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from line_maker import accepts, bytes_alone, write_noise

from envs_dsl import Program, check
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm.backends import make_backend
from spade_jax.generator.llm.decoding.guide import Guide
from spade_jax.generator.llm.decoding.lines import LinesScript
from spade_jax.generator.llm.decoding.rule import RuleScript
from spade_jax.generator.llm.decoding.sampling import draw
from spade_jax.generator.llm.decoding.script import OneScript, Piece
from spade_jax.generator.llm.decoding.scripts import script_for
from spade_jax.generator.llm.decoding.whole import ProgramScript
from spade_jax.generator.llm.holes import Hole, fill, holes, shape
from spade_jax.generator.llm.messages import Request

from test_llm_holes import STARS  # isort: skip


@pytest.mark.parametrize("seed", range(1))
def test_noise_becomes_a_program_that_checks(seed: int) -> None:
    script = ProgramScript(step=8, reset=4)
    guide = write_noise(script, seed)
    assert guide.ended
    assert check(script.text).ok, (script.text, check(script.text).diagnostics)


@pytest.mark.parametrize("kind", ["constant", "guard", "rule", "entity"])
def test_noise_fills_every_kind_of_hole(kind: str) -> None:
    program = Program.from_source(STARS)
    for seed, hole in enumerate([h for h in holes(program) if h.kind == kind][:3]):
        script = script_for(shape(program, hole))
        assert script is not None
        guide = write_noise(script, seed)
        assert guide.ended
        filled = fill(program, hole, script.text)
        codes = {d.code for d in check(filled).diagnostics if d.severity == "error"}
        # a rule that is replaced may have been the only use of something, or the only win
        allowed = {"E601", "E602", "E603", "E604"} if kind == "rule" else set()
        assert codes <= allowed, (script.text, check(filled).diagnostics)


def test_a_json_value_has_the_shape_that_was_asked_for() -> None:
    import json

    schema = {"type": "object", "properties": {"n": {"enum": [3, 4]}}, "required": ["n"],
              "additionalProperties": False}  # fmt: skip
    script = script_for({"json": schema})
    assert script is not None
    write_noise(script, 0)
    assert json.loads(script.text)["n"] in (3, 4)


def test_free_text_has_no_script() -> None:
    assert script_for({}) is None


class Refuses(OneScript):
    """Takes the second piece that is offered."""

    offers: int = 0

    def offer(self, piece: str) -> bool:
        self.offers += 1
        return self.offers > 1 and super().offer(piece)

    def stuck(self) -> bool:
        return True


def test_a_refused_piece_is_written_again() -> None:
    script = Refuses(Piece('start: "ab" | "cd"\n'))
    guide = Guide(bytes_alone(), script)
    assert guide.push(ord("a")) == "go"
    assert guide.push(ord("b")) == "again"
    assert guide.dropped == 2 and guide.at_start
    assert np.flatnonzero(guide.mask()).tolist() == [ord("a"), ord("c")]
    guide.push(ord("c"))
    assert guide.push(ord("d")) == "end"
    assert script.text == "cd"


def test_a_line_is_not_written_twice() -> None:
    script = ProgramScript()
    for line in (
        '"""Walk to the far end of the hall."""\n',
        "game = Game(size=(7, 7), max_steps=60)\n",
        "class Tile(Enum):\n",
        '    FLOOR = Look(".", "black")\n',
        '    WALL = Look("#", "gray", solid=True)\n',
        '    EXIT = Look("E", "green", goal=True)\n',
        "class State:\n",
        "    me: Pos\n",
        "    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR\n",
        "def reset(s):\n",
        "    s.me = random_cell(s.board == Tile.FLOOR)\n",
    ):
        assert script.offer(line), line
    assert not script.offer("    s.me = random_cell(s.board == Tile.FLOOR)\n")
    assert not script.offer("    s.me = Pos(1, 1) +\n")
    assert script.offer("    s.me = Pos(3, 3)\n")


HALL = (
    '"""Walk to the far end of the hall."""\n',
    "game = Game(size=(9, 9), max_steps=60)\n",
    'PITS = Param(3, 1, 6, harder="up")\n',
    "class Tile(Enum):\n",
    '    FLOOR = Look(".", "black")\n',
    '    EXIT = Look("E", "green", goal=True)\n',
    '    PIT = Look("^", "red")\n',
    "class Bat(Row):\n",
    "    pos: Pos\n",
    "class State:\n",
    "    me: Pos\n",
    "    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR\n",
    "    bats: Table(Bat, 2)\n",
    "def reset(s):\n",
)


def hall(*lines: str) -> ProgramScript:
    script = ProgramScript()
    for line in (*HALL, *lines):
        assert script.offer(line), line
    return script


def takes(script: ProgramScript, text: str) -> bool:
    return accepts(script.step().grammar, text)


def test_reset_places_things_before_it_ends() -> None:
    script = hall()
    script.wants_end()
    first = "    s.board[random_cell(s.board == Tile.FLOOR)] = Tile.EXIT\n"
    assert takes(script, first) and not takes(script, "def step(s, act):\n")
    assert script.offer(first)
    # the parameter counts something else, or chance alone would find one of many exits
    loop = "    for k in range(6):\n        if k < PITS:\n            "
    cell = "s.board[random_cell(s.board == Tile.FLOOR)] = Tile."
    assert takes(script, f"{loop}{cell}PIT\n") and not takes(script, f"{loop}{cell}EXIT\n")
    assert script.offer(f"{loop}{cell}PIT\n")
    mine = "    s.me = random_cell(s.board == Tile.FLOOR)\n"
    bat = "    spawn(s.bats, pos=random_cell(s.board == Tile.FLOOR))\n"
    assert takes(script, mine) and takes(script, bat)
    assert script.offer(bat) and script.offer(mine)
    assert takes(script, "def step(s, act):\n")


PLACED = (
    "    s.board[random_cell(s.board == Tile.FLOOR)] = Tile.EXIT\n",
    "    s.me = random_cell(s.board == Tile.FLOOR)\n",
    "    spawn(s.bats, pos=random_cell(s.board == Tile.FLOOR))\n",
    "def step(s, act):\n",
    "    s.me = try_move(s.me, act.move)\n",
)


CAMP = """    s.me = try_move(s.me, act.move)
    if s.board[s.me] == Tile.EXIT:
        win()
"""


def rule_of_the_hall() -> RuleScript:
    """The rule that wins is to be replaced by another one."""
    above = "".join((*HALL, *PLACED)).replace('PITS = Param(3, 1, 6, harder="up")\n', "")
    above = above.replace("    bats: Table(Bat, 2)\n", "").replace(PLACED[2], "")
    assert check(above + CAMP[CAMP.index("    if") :]).ok
    return RuleScript(above, "\n")


def test_a_rule_pays_for_the_one_that_it_replaces() -> None:
    script = rule_of_the_hall()
    assert script.offer("    far = s.me.row > 3\n")
    assert not script.step().may_end  # a local that nobody reads is no rule
    assert script.offer("    if far:\n") and script.offer("        reward(0.1)\n")
    assert script.step().may_end
    script.wants_end()
    assert takes(script, "    if s.board[s.me] == Tile.EXIT:\n")
    assert not takes(script, "    reward(0.2)\n")
    assert script.offer("    if s.board[s.me] == Tile.EXIT:\n")
    assert takes(script, "        win()\n") and not takes(script, "        reward(0.2)\n")
    assert script.offer("        win()\n")
    assert not script.step().grammar
    assert check(script.before + script.text).ok


def test_who_is_hurried_in_reset_is_hurried_in_step() -> None:
    script = hall(*PLACED[:3])
    guide = Guide(bytes_alone(), script)
    guide.hurry()
    guide.hurry()
    for line in PLACED[3:]:
        assert script.offer(line), line
    assert takes(script, "    for each in s.bats:\n        if each.pos == s.me:\n")
    assert not takes(script, "    far = s.me.row\n")
    # a moment's peace would have let the model write what it likes
    calm = hall(*PLACED)
    assert takes(calm, "    far = s.me.row\n")


def test_who_is_hurried_still_fills_the_block_that_is_open() -> None:
    script = LinesScript("".join((*HALL, *PLACED)), 1)
    script.wants_end()  # before a line is written: one is
    assert script.offer("    if s.board[s.me] == Tile.PIT:\n")
    assert takes(script, "        lose()\n") and not takes(script, "        if PITS > 2:\n")
    assert script.offer("        lose()\n")
    assert not script.step().grammar


def test_the_player_is_who_moves() -> None:
    script = ProgramScript()
    for line in (*HALL[:-1], HALL[-1], *PLACED[:3]):
        line = "    gem: Pos\n    me: Pos\n" if line == "    me: Pos\n" else line
        assert script.offer(line), line
    assert script.offer("    s.gem = random_cell(s.board == Tile.FLOOR)\n")
    for line in PLACED[3:]:
        assert script.offer(line), line
    assert not script.offer("    s.me = Pos(1, 1)\n")  # which would take the move back
    assert script.offer("    if s.gem == Pos(1, 1):\n")
    assert not script.offer("        lose()\n")
    assert script.offer("        reward(0.1)\n")


def test_nothing_is_won_or_lost_without_standing_somewhere() -> None:
    script = hall(*PLACED)
    assert not script.offer("    win()\n")
    assert script.offer("    if chance(0.5):\n")
    assert not script.offer("        lose()\n")
    assert script.offer("        reward(0.1)\n")
    assert script.offer("    if s.board[s.me] == Tile.PIT:\n")
    assert script.offer("        lose()\n")


@pytest.mark.parametrize(
    "line", ["s.me = Pos(1, 1)", "s.me.row += 1", "s.board = Tile.PIT", "s.me += UP"]
)
def test_a_move_stands_unless_there_is_a_reason(line: str) -> None:
    script = hall(*PLACED)
    assert not script.offer(f"    {line}\n")
    assert script.offer("    if chance(0.5):\n")
    assert script.offer(f"        {line}\n")


def test_the_win_is_where_something_was_placed() -> None:
    script = hall(*PLACED)
    script.wants_end()
    walk = "    for each in s.bats:\n        each.pos = try_move(each.pos, random_dir())\n"
    assert takes(script, walk)
    assert script.offer(walk)
    assert script.offer("    if PITS > s.me.row:\n")  # the parameter was still owed
    assert script.offer("        reward(-0.1)\n")
    assert takes(script, "    if s.board[s.me] == Tile.EXIT:\n")
    assert not takes(script, "    if s.board[s.me] == Tile.PIT:\n")  # there is none
    assert not takes(script, "    for each in s.bats:\n        if each.pos == s.me:\n")
    assert script.offer("    if s.board[s.me] == Tile.EXIT:\n")
    assert takes(script, "        win()\n") and not takes(script, "        lose()\n")
    assert script.offer("        win()\n")
    assert script.complete and not script.step().grammar


def test_noise_answers_what_it_is_asked_and_the_same_each_time() -> None:
    backend = make_backend("noise:3", LlmConfig())
    ask = Request("r1-program-0", "program", (), shape={"program": {}})
    other = dataclasses.replace(ask, id="r1-program-1")
    first, second = backend.complete([ask, other])
    assert check(first.text).ok and check(second.text).ok and first.text != second.text
    assert first.completion_tokens > 100 and first.finish == "stop"
    assert backend.complete([ask])[0].text == first.text
    assert make_backend("noise:4", LlmConfig()).complete([ask])[0].text != first.text
    free = dataclasses.replace(ask, shape={})
    assert backend.complete([free])[0].text == ""
    hole = dataclasses.asdict(Hole("entity", 0, 0, "", 1, 0, "", ""))
    broken = dataclasses.replace(ask, shape={"hole": {"source": "x = (", **hole}})
    answers = backend.complete([broken, free])
    assert [a.finish for a in answers] == ["error", "stop"]
    with pytest.raises(GeneratorError, match="seed"):
        make_backend("noise:x", LlmConfig())


def test_draws_keep_to_the_mask_and_the_likeliest() -> None:
    logits = np.log(np.asarray([0.5, 0.3, 0.15, 0.05], np.float32))
    rng = np.random.default_rng(0)
    assert draw(logits, rng, 0.0, 1.0) == 0
    assert draw(logits, rng, 0.0, 1.0, np.asarray([False, False, True, True])) == 2
    seen = [draw(logits, rng, 1.0, 0.79, None) for _ in range(200)]
    assert set(seen) == {0, 1}
    counts = np.bincount([draw(logits, rng, 1.0, 1.0) for _ in range(4000)], minlength=4) / 4000
    # five standard deviations of a share of 4,000 draws are at most 0.04
    assert np.abs(counts - np.exp(logits)).max() < 0.04
    with pytest.raises(ValueError):
        draw(logits, rng, 1.0, 1.0, np.zeros(4, bool))


def test_the_same_seed_draws_the_same() -> None:
    logits = np.random.default_rng(1).normal(size=500).astype(np.float32)
    runs = [[draw(logits, np.random.default_rng(s), 0.8, 0.9) for s in range(20)] for _ in "ab"]
    assert runs[0] == runs[1]
