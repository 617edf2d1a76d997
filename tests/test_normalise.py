"""The normaliser: every rewrite as data, and what holds for any text."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from envs_dsl import check, library
from envs_dsl.language import normalise as package
from envs_dsl.language import render
from envs_dsl.language.normalise import calls, form, normalise, operators, places, text
from envs_dsl.reference.examples import program
from tests import adversarial

DOC = program({"in": "step"}, "s.score = 2")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    given: str
    gives: str
    notices: tuple[tuple[int, str], ...]
    still_wrong: bool


def _case(entry: dict[str, Any]) -> Case:
    given = program(entry, entry["given"]).replace("DOC", DOC.rstrip("\n"))
    gives = program(entry, entry["gives"]).replace("DOC", DOC.rstrip("\n"))
    for old, new in entry.get("also_given", ()):
        assert old in gives
        gives = gives.replace(old, new)
    notices = tuple((line, what) for line, what in entry["notices"])
    return Case(entry["name"], given, gives, notices, entry.get("still_wrong", False))


CASES = [_case(e) for e in yaml.safe_load((Path(__file__).parent / "normaliser.yaml").read_text())]
NAMES = [case.name for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_what_is_made_of_it(case: Case) -> None:
    assert not check(case.given).ok
    found = normalise(case.given)
    assert found.text == case.gives
    assert set(found.notices) == set(case.notices)
    assert [n.line for n in found.notices] == sorted(n.line for n in found.notices)
    accepted = check(found.text)
    assert accepted.ok != case.still_wrong, render(accepted.diagnostics, found.text)


def test_every_rewrite_has_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    def spied(kinds: Any, rewrite: Any) -> Any:
        def spy(node: Any, source: Any) -> Any:
            edit = rewrite(node, source)
            if edit is not None:
                used.add(rewrite.__name__)
            return edit

        return kinds, spy

    rewrites = [*form.REWRITES, *calls.REWRITES, *operators.REWRITES, *places.REWRITES]
    monkeypatch.setattr(package, "TREE_REWRITES", tuple(spied(*pair) for pair in rewrites))
    told = {what for case in CASES for _, what in normalise(case.given).notices}
    assert used == {rewrite.__name__ for _, rewrite in rewrites}
    assert len(text.TEXT_REWRITES) == 6 and len(text.REPAIRS) == 8
    told_by_text = {
        "line ends made plain", "invisible characters dropped", "a long line broken",
        "characters replaced by plain ASCII", "tabs replaced by spaces",
        "code fences and the text around them dropped", "the text around the program dropped",
        "else if written as elif", "&& written as and", "|| written as or", "! written as not",
        "++ written as += 1", "a colon added at the end",
    }  # fmt: skip
    assert told_by_text <= told


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_second_time_changes_nothing(case: Case) -> None:
    once = normalise(case.given).text
    assert normalise(once) == (once, ())


def test_a_program_comes_back_as_it_is() -> None:
    for found in library.seeds():
        assert normalise(found.source) == (found.source, ())


def test_any_text_comes_back_and_a_second_time_changes_nothing() -> None:
    for case in adversarial.cases()[::4]:
        once = normalise(case.text).text
        assert normalise(once).text == once, case.name
        if case.accepted:
            assert once == case.text


def test_code_behind_a_long_docstring_is_not_broken_off() -> None:
    # broken into lines, the docstring would pass for prose around a program the second time
    words = " ".join(["word"] * 30)
    text = f'''"""{words}."""game = Game(size=('''
    assert normalise(text).text == text


def test_damaged_texts_come_back_too() -> None:
    draw = Random(5)
    pieces = [
        "&",
        "|",
        "~(",
        " in (1, 2)",
        "\t",
        "```",
        "**2",
        "[1, 2]",
        "np.",
        "self.",
        "import x",
        "!",
        " is ",
    ]
    for _ in range(150):
        damaged = draw.choice(CASES).given
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(damaged) + 1)
            damaged = damaged[:at] + draw.choice(pieces) + damaged[at + draw.randint(0, 2) :]
        once = normalise(damaged).text
        assert normalise(once).text == once, damaged


def test_an_endless_text_is_left_alone() -> None:
    text = "a & b\n" * 100_000
    assert normalise(text) == (text, ())
