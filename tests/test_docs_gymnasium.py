"""The examples of docs/gymnasium.md run, in order, as one program."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def blocks(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return [part.partition("```")[0] for part in text.split("```python\n")[1:]]


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``stars.py`` is the program of the language page."""
    pytest.importorskip("gymnasium")
    stars = next(block for block in blocks("language.md") if "STARS = Param" in block)
    (tmp_path / "stars.py").write_text(stars, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    run = 0
    for block in blocks("gymnasium.md"):
        if "stable_baselines3" in block and not importlib.util.find_spec("stable_baselines3"):
            continue
        exec(compile(block, "gymnasium.md", "exec"), names)
        run += 1
    assert run >= 6
