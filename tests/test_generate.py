"""What is measured of a language model's proposals."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from envs_dsl.library import seeds
from experiments import generate
from spade_jax.generator.llm import Request, Response


class Scripted:
    """Answers in turn with a program, one that does not check, one with a while, and nothing."""

    name = "scripted"

    def __init__(self) -> None:
        good = seeds()[0].source
        moved = good.replace("Tile", "Cell").replace("max_steps=", "max_steps=1")
        self.texts = [
            moved,
            good.replace("win()", "wins()"),
            good + "    while True:\n        win()\n",
            "",
        ]
        self.asked = 0

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        found = []
        for _ in requests:
            text = self.texts[self.asked % 4]
            self.asked += 1
            found.append(Response(f"```python\n{text}\n```", "m", "r", 10, 20, 0.5))
        return tuple(found)

    def close(self) -> None:
        """Nothing is held."""


def test_every_proposal_is_counted_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    backend = Scripted()
    monkeypatch.setattr(generate, "make_backend", lambda spec, config: backend)
    out = tmp_path / "a.json"
    line = ["--generator", "llm:x:y", "--mode", "plain", "--proposals", "4", "--out", str(out)]
    assert generate.main([*line, "--batch", "4"]) == 0
    told = json.loads(out.read_text())
    assert told["count"] == 4 and told["model"] == "m r"
    assert {name: value["hits"] for name, value in told["shares"].items()} | {"gates": 0} == {
        "parses": 2, "checks": 1, "smoke": 1, "gates": 0,
        "distinct": told["shares"]["distinct"]["hits"],
    }  # fmt: skip
    assert told["by_stage"] == {"check": 1, "parse": 1, "answer": 1}
    assert (told["prompt_tokens"], told["completion_tokens"], told["seconds"]) == (10, 20, 0.5)
    with gzip.open(tmp_path / "a.exchanges.jsonl.gz") as packed:
        assert packed.read().count(b'"response"') == 4
    asked = backend.asked
    assert generate.main([*line, "--batch", "4"]) == 0
    assert backend.asked == asked  # the answers are in the journal
    assert json.loads(out.read_text())["shares"] == told["shares"]
    capsys.readouterr()


def test_no_answer_makes_up_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    backend = Scripted()
    two = f"{backend.texts[0]}\n```\nAnother one:\n```python\n{seeds()[1].source}"
    backend.texts = [two, "", "", ""]
    monkeypatch.setattr(generate, "make_backend", lambda spec, config: backend)
    line = ["--generator", "llm:x:y", "--mode", "plain", "--proposals", "2"]
    assert generate.main([*line, "--out", str(tmp_path / "a.json")]) == 0
    told = json.loads((tmp_path / "a.json").read_text())
    assert told["shares"]["checks"]["hits"] == 1
    assert told["by_stage"].get("answer") == 1
    assert [(p["checks"], p["completion_tokens"]) for p in told["proposals"]] == [
        (True, 20),
        (False, 20),
    ]
    capsys.readouterr()


def test_the_interval_of_a_share() -> None:
    # Wilson's interval of 8 in 10 as tables have it
    assert generate.share(8, 10) == {"hits": 8, "share": 0.8, "low": 0.4902, "high": 0.9433}
    assert generate.share(0, 0)["high"] == 1.0


def test_what_is_missing_is_told() -> None:
    for line in (["--generator", "evolve", "--out", "x"], ["--generator", "llm:batch:x"]):
        with pytest.raises(generate.UserError, match="name a model"):
            generate.main(line)
