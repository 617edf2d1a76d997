"""The command that makes the collection: requests, answers by hand or by batch, gates, texts."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from envs_dsl import library
from experiments.corpus import __main__ as command
from experiments.corpus import requests
from spade_jax.collecting import Folder, Known, Neighbours, neighbours
from spade_jax.collecting.answers import Answers, program_in
from spade_jax.collecting.pieces import pieces
from spade_jax.collecting.receipts import closed, slug
from spade_jax.errors import UserError
from spade_jax.generator.corpus import read_receipts
from spade_jax.types import Reason, Verdict

IDEA = "title: Star walk\nplayer: pick up all stars\nskills: navigation\ntheme: stars\n"


def _ask(tmp_path: Path, n: int = 3) -> Folder:
    folder = tmp_path / "asked"
    assert requests.main(["--n", str(n), "--seed", "5", "--out", str(folder)]) == 0
    return Folder.load(folder)


def _fenced(source: str) -> str:
    return f"```python\n{source}\n```\n"


# --- requests -------------------------------------------------------------------------------------


def test_requests_are_a_batch_and_a_page_and_can_be_made_again(tmp_path) -> None:
    folder = _ask(tmp_path, 10)
    lines = (folder.path / "requests-ideas.jsonl").read_text().splitlines()
    asked = [json.loads(line) for line in lines]
    assert [a["custom_id"] for a in asked] == [folder.ideas_request(i)[0].key for i in range(10)]
    assert all(a["url"] == "/v1/chat/completions" for a in asked)
    aims = [folder.ideas_request(i)[1]["aim"] for i in range(10)]
    assert len({aim["skill"] for aim in aims[:9]}) == 9  # each skill once, then from the start
    assert aims[9]["skill"] == aims[0]["skill"]
    assert len({aim["theme"] for aim in aims}) == 10
    page = (folder.path / "read.md").read_text()
    assert all(f"# s5q{i:03d}" in page and aims[i]["theme"] in page for i in range(10))
    assert page.count("# Language of grid environments") == 1  # what is shared is told once
    with pytest.raises(UserError, match="holds requests already"):
        requests.main(["--n", "3", "--out", str(folder.path)])


def test_a_folder_of_another_prompt_is_refused(tmp_path) -> None:
    folder = _ask(tmp_path)
    dataclasses.replace(folder, files="other").save()
    with pytest.raises(UserError, match="another prompt"):
        Folder.load(folder.path)
    with pytest.raises(UserError, match="holds no requests"):
        Folder.load(tmp_path)


# --- answers --------------------------------------------------------------------------------------


def test_answers_come_by_hand_and_by_batch(tmp_path) -> None:
    folder = _ask(tmp_path)
    source = library.find("hail").source
    (folder.path / "answers" / "s5q000.md").write_text(IDEA + "\n" + _fenced(source))
    request, _ = folder.ideas_request(1)
    message = {"choices": [{"message": {"content": IDEA}, "finish_reason": "stop"}]}
    body = message | {"model": "some-model", "usage": {"completion_tokens": 7}}
    line = {"custom_id": request.key, "response": {"status_code": 200, "body": body}}
    (folder.path / "responses-1.jsonl").write_text(json.dumps(line) + "\n")
    waiting: list = []
    first, second = pieces(folder, {}, waiting)
    assert first.idea.title == second.idea.title == "Star walk"
    assert [a.source for a in first.answers] == [source]
    assert second.answers == () and [r.kind for r in waiting] == ["program"]
    body["choices"][0]["message"]["content"] = _fenced(source)
    line["custom_id"] = waiting[0].key
    (folder.path / "responses-2.jsonl").write_text(json.dumps(line) + "\n")
    again, _ = pieces(folder, {}, [])[1], None
    assert again.answers[0].source == source
    assert again.answers[0].response.model == "some-model"
    assert Answers(folder).idea(2, folder.ideas_request(2)[0]) is None


def test_the_program_of_an_answer_is_what_stands_in_its_last_fence() -> None:
    source = library.find("hail").source
    answer = f"An idea.\n\n{_fenced('x')}\nBetter:\n{_fenced(source)}Enjoy."
    assert program_in(answer) == (source, 0)
    assert program_in(source) == (source, 0)
    mended, mends = program_in(_fenced(source.replace("s.gem)", "self.gem)")))
    assert mends >= 1 and "self" not in mended


def test_a_refused_draft_does_not_close_its_request(tmp_path) -> None:
    folder = _ask(tmp_path)
    hail, camp = library.find("hail").source, library.find("camp").source
    (folder.path / "answers" / "s5q000.md").write_text(IDEA + "\n" + _fenced(hail))
    (first,) = pieces(folder, {}, [])
    refused = [{"request": "s5q000", "answer": {"sha256": first.answers[0].sha256}}]
    assert not closed(first, [], []) and closed(first, [], refused)
    assert not closed(first, [{"request": "s5q001"}], [{**refused[0], "request": "s5q001"}])
    (folder.path / "answers" / "s5q000.2.md").write_text(_fenced(camp))
    (second,) = pieces(folder, {}, [])
    assert not closed(second, [], refused)
    assert closed(second, [{"request": "s5q000"}], refused)


def test_titles_become_names() -> None:
    assert slug("The Honey Harvest!") == "honey_harvest"
    assert slug("2 jugs") == "p2_jugs"
    assert slug("…") == "program"
    assert len(slug("a very long title that never seems to come to its end")) <= 24


# --- being unlike others --------------------------------------------------------------------------


def _verdict(**changes) -> Verdict:
    base = Verdict("x", True, Reason.OK, (), "p", "s", "b", (0.5, 0.5))
    return dataclasses.replace(base, **changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"behaviour_hash": "bb"}, Reason.SAME_BEHAVIOUR),
        ({"skeleton_hash": "ss"}, Reason.DUPLICATE),
        ({"features": (0.1, 0.905)}, Reason.SAME_BEHAVIOUR),  # distance 0.0035, least 0.01
        ({"features": (0.1, 0.95)}, None),
        ({}, None),
    ],
)
def test_clones_and_variants_are_refused(monkeypatch, changes, reason) -> None:
    monkeypatch.setattr("spade_jax.curator.heldout.identities", lambda: frozenset({"held"}))
    others = Neighbours([Known("other", "pp", "ss", "bb", (0.1, 0.9))])
    clash = others.clash(_verdict(**changes))
    assert (clash and clash[0]) == reason
    assert others.clash(_verdict(**changes), but="other") is None
    assert others.clash(_verdict(skeleton_hash="held"))[0] is Reason.HELD_OUT


# --- all of it ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_answers_pass_the_gates_into_a_collection(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(neighbours, "library_neighbours", Neighbours)  # hail itself is the answer
    folder = _ask(tmp_path)
    good = library.find("hail").source
    bad = good.replace("s.gems += 1", "s.gem_count += 1")
    answers, into = folder.path / "answers", tmp_path / "collection"
    (answers / "s5q000.md").write_text(IDEA + "\n" + _fenced(good))
    (answers / "s5q001.md").write_text(IDEA.replace("Star", "Moon") + "\n" + _fenced(bad))
    flags = ["add", str(folder.path), "--model", "me", "--into", str(into)]
    assert command.main(flags) == 1
    assert "s5q001 Moon walk: invalid: E202" in capsys.readouterr().out
    assert "gem_count" in (folder.path / "repairs" / "s5q001.2.md").read_text()
    receipt = read_receipts(into / "receipts.jsonl")["star_walk"]
    assert (into / "programs" / "star_walk.py").read_text() == good
    assert receipt["model"] == "me" and receipt["theme"] == receipt["prompt"]["aim"]["theme"]
    assert [a["reason"] for a in receipt["attempts"]] == ["ok"]
    # The mended one is a copy of the first: refused, and kept with both its texts.
    (answers / "s5q001.2.md").write_text(_fenced(good))
    assert command.main([*flags, "--final"]) == 1
    rejected = read_receipts(into / "rejected.jsonl")
    assert set(rejected) == {"moon_walk", "moon_walk_1"}
    assert rejected["moon_walk"]["reason"] == "same_behaviour"
    assert [a["reason"] for a in rejected["moon_walk"]["attempts"]] == ["invalid", "same_behaviour"]
    assert rejected["moon_walk_1"]["reason"] == "invalid"
    assert command.main(flags) == 0  # nothing is left to do
    # A draft that comes later and is good joins, and what was refused stays as it was.
    (answers / "s5q001.3.md").write_text(_fenced(library.find("camp").source))
    assert command.main(flags) == 0
    receipt = read_receipts(into / "receipts.jsonl")["moon_walk_2"]
    assert [a["reason"] for a in receipt["attempts"]] == ["invalid", "same_behaviour", "ok"]
    assert set(read_receipts(into / "rejected.jsonl")) == {"moon_walk", "moon_walk_1"}
    capsys.readouterr()
    assert command.main(flags) == 0 and capsys.readouterr().out == "0 of 0 passed\n"


def test_an_unknown_command_is_named() -> None:
    with pytest.raises(UserError, match="did you mean 'check'"):
        command.main(["chek"])
    assert command.main(["--help"]) == 0
