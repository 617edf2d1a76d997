"""The fuzzer: each of its makers, what it finds when something is broken, and its report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from fuzz import properties
from fuzz.texts import MAKERS
from fuzz.trial import breach_of, pool, smaller

from envs_dsl import Program, check
from envs_dsl.language.normalise import normalise
from envs_dsl.mutate import mutate

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("kind", MAKERS)
def test_a_few_inputs_of_each_kind_break_nothing(kind: str) -> None:
    rng, texts = Random(1), pool()
    for _ in range(6 if kind == "mutation" else 15):
        text = MAKERS[kind][0](texts, rng)
        assert breach_of(text) == "", text


def test_makers_differ_and_follow_the_seed() -> None:
    texts = pool()
    for make, _ in MAKERS.values():
        made = [make(texts, Random(seed)) for seed in (1, 2, 3, 1)]
        assert made[0] == made[3]
        assert len(set(made)) > 1


def test_typed_trees_are_often_accepted_and_bytes_seldom() -> None:
    texts = [t for t in pool() if check(t).ok]
    share = {
        kind: sum(check(MAKERS[kind][0](texts, Random(s))).ok for s in range(12)) / 12
        for kind in ("types", "bytes")
    }
    assert share["types"] > 0.1 and share["bytes"] < 0.5


def test_a_planted_fault_is_found_and_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    text = pool()[0]
    assert breach_of(text) == ""

    def broken(text: str) -> object:
        if "Tile.EXIT" in text:
            raise KeyError("planted")
        return check(text)

    monkeypatch.setattr(properties, "check", broken)
    found = breach_of(text)
    assert found.startswith("KeyError in test_fuzz.py")
    assert smaller(text, found) == "Tile.EXIT"


def test_a_wrong_step_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from fuzz.properties import play

    def shifted(program: Program, **options: int) -> object:
        episodes = play(program, **options)  # type: ignore[arg-type]
        episodes.states[-1].fields["x"][...] += 1000
        return episodes

    monkeypatch.setattr(properties, "play", shifted)
    assert breach_of(pool()[0]) == "breach: out of bounds: x"


def test_the_command_reports_in_json(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", "0.05", "--json"]
    command += ["--jax", "0", "--folder", str(tmp_path), "--seed", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    report = json.loads(done.stdout)
    assert report["inputs"] == sum(report["tried"].values()) > 0
    assert set(report["tried"]) <= set(MAKERS)
    assert (done.returncode, report["findings"]) == (0, [])


# --- what the fuzzer has found (texts that only the checker sees are in tests/adversarial) --------


def test_terrain_needs_a_board_with_a_plain_member() -> None:
    text = pool()[0].replace('FLOOR = Look(".", "black")', 'FLOOR = Look(".", "black", item=True)')
    program = Program.from_source(text)
    assert mutate(program, 1, "add_terrain") is None


def test_invisible_characters_go_with_bare_carriage_returns() -> None:
    once = normalise("x = 1\r\0y = 2\f\n")
    assert once.text == normalise(once.text).text
    assert "\0" not in once.text and "\f" not in once.text
