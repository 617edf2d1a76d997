"""What the pages show and point at is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envs_dsl import check

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_program_of_the_language_page_is_one() -> None:
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    found = check(text.partition("```python\n")[2].partition("```")[0])
    assert found.ok and not found.diagnostics
