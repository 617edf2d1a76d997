"""Constrained decoding without a model: noise under a script is a program, a rule, a number."""

from __future__ import annotations

import numpy as np
import pytest
from line_maker import bytes_alone, write_noise

from envs_dsl import Program, check
from spade_jax.generator.llm.decoding.guide import Guide
from spade_jax.generator.llm.decoding.sampling import draw
from spade_jax.generator.llm.decoding.scripts import OneScript, Piece, ProgramScript, script_for
from spade_jax.generator.llm.holes import fill, holes, shape

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
