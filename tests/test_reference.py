"""The language reference is generated, complete and up to date."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envs_dsl import check
from envs_dsl.__main__ import main
from envs_dsl.language.builtins import BUILTINS, TABLE
from envs_dsl.language.vocabulary import COLORS, DIRS, SKILLS, TAGS, VERBS
from envs_dsl.reference import compact, page, rules
from envs_dsl.reference.compact import MOST_CHARACTERS
from envs_dsl.reference.rules import cases

ROOT = Path(__file__).parents[1]


def test_the_page_is_up_to_date() -> None:
    kept = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    fresh = page(ROOT / "tests" / "conformance")
    assert kept == fresh, "run: python -m envs_dsl reference > docs/language.md"


def test_every_builtin_is_on_the_page() -> None:
    text = page()
    assert [name for name in TABLE if f"| `{name}`" not in text] == []


def test_rules_have_ids_of_their_own_and_point_at_rules_that_exist() -> None:
    found = [rule for section in rules() for rule in section.rules]
    ids = [rule.id for rule in found]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"R-[A-Z]+-\d+", id_) for id_ in ids)
    named = {id_ for rule in found for id_ in re.findall(r"R-[A-Z]+-\d+", rule.text)}
    assert named <= set(ids)
    assert not any("<<" in rule.text for rule in found)


def test_rules_are_linked_to_cases(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("- rule: R-SAT-1\n  x: 1\n- rule: [R-SAT-1, R-INT-2]\n")
    (tmp_path / "b.yaml").write_text("cases:\n  - name: y\n    rule: R-SAT-1\n")
    assert cases(tmp_path) == {"R-SAT-1": ("a.yaml", "b.yaml"), "R-INT-2": ("a.yaml",)}
    assert "[a](../tests/conformance/a.yaml)" in page(tmp_path)
    assert cases(tmp_path / "absent") == {}


def test_the_compact_form_is_short_and_names_every_builtin() -> None:
    text = compact()
    assert len(text) <= MOST_CHARACTERS == 3 * 2_500
    assert text.isascii()
    builtins = text.partition("Builtins")[2]
    assert [row.name for row in BUILTINS if not re.search(rf"\b{row.name}\b", builtins)] == []
    assert all(word in text for word in (*VERBS, *TAGS, *COLORS, *SKILLS, *DIRS))


def test_the_program_of_the_compact_form_is_one() -> None:
    found = check(compact().partition("```python\n")[2].partition("```")[0])
    assert found.ok and not found.diagnostics


def test_the_command_prints_both_forms(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["reference", "--compact"]) == 0
    assert capsys.readouterr().out == compact()
    assert main(["reference", "--cases", str(tmp_path)]) == 0
    assert capsys.readouterr().out == page()
