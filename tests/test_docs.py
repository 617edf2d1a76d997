"""What the pages show and point at is there."""

from __future__ import annotations

import dataclasses
import importlib
import re
from pathlib import Path

import pytest

from envs_dsl import check
from experiments._cli import flag_names
from spade_jax.config import Config

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "results/README.md")),
    *sorted((ROOT / "docs").glob("**/*.md")),
]
SETTINGS = set(flag_names(Config()))
ROOMS = r"learner|curator|executor|llm|llm\.server|llm\.tuning|difficulty"


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _anchors(page: Path) -> set[str]:
    """The names that a page's headings get, and those it gives itself."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)", text, re.M)
    named = {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}
    return named | set(re.findall(r'id="([^"]+)"', text))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_and_pictures_exist(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            target, _, anchor = link.partition("#")
            there = page.parent / target if target else page
            assert there.exists(), link
            assert not anchor or anchor in _anchors(there), link


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_settings_and_commands_that_are_named_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for name in re.findall(rf"`(?:--)?((?:{ROOMS})\.[a-z][\w-]*)(?=[` ])", text):
        assert name.replace("_", "-") in SETTINGS, name
    for name, words in re.findall(r"python -m experiments\.(\w+)([^`#\n]*)", text):
        options = getattr(importlib.import_module(f"experiments.{name}"), "Options", None)
        if options is not None:  # a command of commands has none
            own = {field.name.replace("_", "-") for field in dataclasses.fields(options)}
            flags = set(re.findall(r"(?<!\S)--([a-z][\w.-]*)", words))
            assert flags <= own | SETTINGS | {"help"}, (name, words)


def test_the_program_of_the_language_page_is_one() -> None:
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    found = check(text.partition("```python\n")[2].partition("```")[0])
    assert found.ok and not found.diagnostics
