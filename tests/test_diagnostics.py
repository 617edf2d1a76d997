"""Findings as data: every code has cases with their exact place, message and hint.

The cases are the examples of the reference (``envs_dsl/reference/codes.yaml``) and the files of
``tests/diagnostics``, one for each family of codes. How they are written is told in
``envs_dsl/reference/examples.py``.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import pytest
import yaml

import envs_dsl.language.check
from envs_dsl import check
from envs_dsl.language import CODES, render
from envs_dsl.language.diagnostics import MAX_SHOWN
from envs_dsl.reference.examples import Example, codes, read_example

FILES = sorted((Path(__file__).parent / "diagnostics").glob("*.yaml"))
SHOWN = [code.example for code in codes() if code.code != "E900"]
MORE = [
    read_example(entry)
    for file in FILES
    for entry in yaml.safe_load(file.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("example", SHOWN + MORE, ids=lambda e: f"{e.expected[0].code} {e.name}")
def test_exactly_this_is_said(example: Example) -> None:
    found = check(example.text).diagnostics
    assert found == example.expected, render(found, example.text)


@pytest.mark.parametrize(
    "example", [e for e in SHOWN + MORE if e.right_text], ids=lambda e: f"{e.expected[0].code}"
)
def test_the_right_one_is_accepted_without_a_word(example: Example) -> None:
    assert example.right_text is not None
    found = check(example.right_text)
    assert found.ok and not found.diagnostics, render(found.diagnostics, example.right_text)


def test_every_code_is_explained_and_has_an_example() -> None:
    assert [code.code for code in codes()] == list(CODES)
    assert all(example.right_text for example in SHOWN)
    for code in codes():
        assert [d.code for d in code.example.expected] == [code.code]


def test_every_code_has_a_case_of_its_own_beside_the_reference() -> None:
    told = {d.code for example in MORE for d in example.expected}
    assert set(CODES) - told == {"E900"}


def test_a_fault_of_the_checker_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(envs_dsl.language.check, "declare", broken)
    example = next(code.example for code in codes() if code.code == "E900")
    found = check(example.text)
    assert not found.ok and found.diagnostics == example.expected


def test_what_is_shown_of_a_finding_is_at_most_six_lines() -> None:
    for example in SHOWN + MORE:
        shown = [render([d], example.text) for d in example.expected]
        assert all(len(text.split("\n")) <= 6 for text in shown)
        assert len(example.expected) <= MAX_SHOWN


ROOT = Path(__file__).parents[1]
HUNDRED = (ROOT / "benchmarks" / "hundred_lines.txt").read_text()
OTHERS = sorted((ROOT / "envs_dsl" / "library").glob("*/*.py"))


def _misspelt(text: str, every: int) -> list[str]:
    """The text with one word misspelt where it stands, for every so many-th of its words."""
    words = [m for m in re.finditer(r"[A-Za-z_]\w+", text) if m[0] not in keyword.kwlist]
    return [f"{text[: m.end()]}qx{text[m.end() :]}" for m in words[::every]]


@pytest.mark.parametrize("part", range(4))
def test_a_misspelt_word_is_one_finding(part: int) -> None:
    """No fault at all, or one."""
    for text in _misspelt(HUNDRED, 1)[part::4]:
        found = check(text).diagnostics
        assert len(found) <= 1, render(found, text)


def test_a_misspelt_word_is_one_finding_in_the_bundled_programs_too() -> None:
    for path in OTHERS:
        for text in _misspelt(path.read_text(), 31):
            found = check(text).diagnostics
            assert len(found) <= 1, render(found, text)
