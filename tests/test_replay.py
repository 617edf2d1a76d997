"""A run done again from its records, without the model that it asked."""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import shutil
import tarfile
from typing import Any

import pytest
import run_folders as hand
import yaml
from scripted_model import Scripted, fenced, ideas, variant
from tiny_runs import TINY

from experiments import _cli, replay
from experiments.config import to_plain
from spade_jax import coevolution
from spade_jax.audit import read_heeded
from spade_jax.bundle import check, export_run
from spade_jax.errors import UserError
from spade_jax.generator import Awaiting
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import Request, Response, backends
from spade_jax.records import read_jsonl
from spade_jax.replay import final_pool, first_difference, run_again

GENERATOR = "evolve+llm:scripted:/home/alice/models/tiny"
CONFIG = dataclasses.replace(
    TINY,
    pretrain_iterations=1,
    rounds=1,
    candidates_per_round=6,
    heldout_episodes=4,
    generator=GENERATOR,
    llm=LlmConfig(seconds_per_round=60.0, ideas_per_request=2, repair_rounds=1),
)


def half(request: Request, number: int) -> str | Response:
    """A model that is good, bad and gone in turn."""
    if request.kind == "ideas":
        return ideas(number)
    if number % 3 == 0:
        return Response("", finish="error", error="gone")
    return fenced(variant(number)) if number % 3 == 1 else "def broken("


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(replay.main, list(words))
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "config.yaml").write_text(yaml.safe_dump(to_plain(CONFIG)))
    models: list[Scripted] = []

    def make(what: str, config: LlmConfig) -> Scripted:
        models.append(Scripted(half))
        return models[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(backends._KINDS, "scripted", (make, "scripted:x"))
        coevolution.run(CONFIG, folder)
    assert [m.closed for m in models] == [1]
    return folder


def test_a_replay_is_the_same_without_the_model(recorded, tmp_path, capsys) -> None:
    candidates = [r for r in read_jsonl(recorded / "events.jsonl") if r["kind"] == "candidate"]
    models = {c["proposal"]["receipt"].get("model") for c in candidates}
    assert "tiny" in models  # the model wrote some of it
    assert call(str(recorded), "--verify", "--into", str(tmp_path / "again")) == 0
    said = capsys.readouterr().out
    assert "the same: 1 rounds" in said
    for name in ("metrics.jsonl", "events.jsonl"):
        assert len(read_jsonl(tmp_path / "again" / name)) == len(read_jsonl(recorded / name))

    # The replay is a recorded run itself, and one that differs is told apart.
    again = tmp_path / "again"
    lines = (again / "metrics.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])
    last["env_steps"] += 1
    (again / "metrics.jsonl").write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
    difference = first_difference(recorded, again, whole=True)
    assert str(difference) == (
        f"metrics.jsonl, line {len(lines)}: env_steps was {last['env_steps'] - 1}, "
        f"is {last['env_steps']}"
    )
    exchanges = [r for r in read_jsonl(again / "exchanges.jsonl") if "response" in r]
    assert exchanges == [r for r in read_jsonl(recorded / "exchanges.jsonl") if "response" in r]


@pytest.mark.slow
def test_a_bundle_is_done_again_wherever_it_is_unpacked(recorded, tmp_path, capsys) -> None:
    made = export_run(recorded, tmp_path / "out.tar.gz")
    assert check(made.path).ok
    with tarfile.open(made.path) as tar:
        tar.extractall(tmp_path / "elsewhere", filter="data")
    assert call(str(tmp_path / "elsewhere" / made.name), "--verify") == 0
    assert "the same: 1 rounds" in capsys.readouterr().out
    said = [p.read_bytes() for p in (tmp_path / "elsewhere").rglob("*.*") if p.is_file()]
    assert any(b"llm:scripted:PATH/tiny" in text for text in said)
    assert not any(b"alice" in text for text in said)


def folders(tmp_path: pathlib.Path, change) -> tuple[pathlib.Path, pathlib.Path]:
    one = hand.write_run(
        tmp_path / "one",
        events=[hand.pool("admit", "a"), hand.pool("admit", "b"), hand.pool("evict", "a", 1)],
    )
    shutil.copytree(one, tmp_path / "two")
    change(tmp_path / "two")
    return one, tmp_path / "two"


def rewrite(path: pathlib.Path, change) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in change(lines)))


def test_times_and_notices_of_the_disk_do_not_count(tmp_path) -> None:
    def change(run: pathlib.Path) -> None:
        rewrite(run / "metrics.jsonl", lambda lines: [{**r, "seconds": 99.0} for r in lines])
        notice = {
            "kind": "warning",
            "text": "checkpoint step_3 is damaged (x); using the one before",
        }
        aside = {"kind": "warning", "text": "beside the run: tuning 01 failed: no memory"}
        rewrite(run / "events.jsonl", lambda lines: [lines[0], notice, aside, *lines[1:]])

    one, two = folders(tmp_path, change)
    assert first_difference(one, two, whole=True) is None
    assert final_pool(one) == final_pool(two) == ("b",)


NINES = [1, 0, 0, 0, 2, 1, 0, 0, 0, 9]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: x[:-1], "line 11: the line was {"),
        (lambda x: [*x, {"kind": "a"}], 'line 12: the line was absent, is {"kind": "a"}'),
        (lambda x: [{**x[0], "mean": 0.25}, *x[1:]], "line 1: mean was 0.0, is 0.25"),
        (lambda x: [{**x[0], "new": 1}, *x[1:]], "line 1: new was absent, is 1"),
        (
            lambda x: [*x[:8], {**x[8], "histogram": NINES}, *x[9:]],
            "line 9: histogram[9] was 0, is 9",
        ),
    ],
)
def test_the_first_difference_is_named(tmp_path, change, told) -> None:
    one, two = folders(tmp_path, lambda run: rewrite(run / "metrics.jsonl", change))
    assert str(first_difference(one, two, whole=True)).startswith(f"metrics.jsonl, {told}")


def test_a_record_may_go_on_after_a_replay_of_a_part_of_it(tmp_path) -> None:
    one, two = folders(tmp_path, lambda run: rewrite(run / "metrics.jsonl", lambda x: x[:-1]))
    assert first_difference(one, two, whole=False) is None
    assert first_difference(two, one, whole=False) is not None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{run}"], "add --verify (or --into FOLDER)"),
        (["{run}", "--json"], "add --verify (--json tells"),
        (["{tmp}/none", "--verify"], "none not found"),
        (["{tmp}", "--verify"], "is not a run folder (it has no config.yaml)"),
        (["{run}", "--into", "{tmp}"], "is not empty; choose another --into"),
    ],
)
def test_wrong_usage_is_one_line(tmp_path, capsys, words, told) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml").write_text(yaml.safe_dump(to_plain(CONFIG)))
    assert call(*(w.format(run=run, tmp=tmp_path) for w in words)) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("metrics.jsonl", '{"kind": "round"}'),
        ("metrics.jsonl", '{"kind": "round", "round": "1"}'),
        ("metrics.jsonl", "[" * 100_000),
        ("metrics.jsonl", '{"kind": "plan", "round": 1, "before": {"rounds": 2}}'),
        ("events.jsonl", '{"kind": "pool", "event": 3}'),
        ("events.jsonl", '{"kind": "candidate"}'),
    ],
)
def test_a_damaged_record_is_said_before_anything_is_done(tmp_path, file, line) -> None:
    run = hand.write_run(tmp_path / "run")
    with (run / file).open("a") as journal:
        journal.write(f"{line}\n")
    with pytest.raises(UserError, match=file):
        run_again(CONFIG, run, tmp_path / "into", lambda kind, data: None)
    (run / file).unlink()
    with pytest.raises(UserError, match=f"has no {file}"):
        run_again(CONFIG, run, tmp_path / "into", lambda kind, data: None)


def test_nothing_recorded_cannot_be_done_again(tmp_path) -> None:
    (tmp_path / "into").mkdir()
    run = hand.write_run(tmp_path / "run", rounds=[hand.iteration(1, 10)])
    with pytest.raises(UserError, match="not one round is recorded"):
        run_again(CONFIG, run, tmp_path / "into", lambda kind, data: None)


@pytest.mark.slow
def test_a_run_that_awaits_answers_ends_and_goes_on(tmp_path, monkeypatch) -> None:
    answers: dict[str, str] = {}
    waiting: list[Request] = []

    class Later(Scripted):
        def complete(self, requests):
            missing = [r for r in requests if r.key not in answers]
            if missing:
                waiting.extend(missing)
                raise Awaiting("2 requests have no answer; bring them")
            return tuple(Response(answers[r.key]) for r in requests)

    monkeypatch.setitem(
        backends._KINDS, "scripted", (lambda what, config: Later(half), "scripted:x")
    )
    config = dataclasses.replace(
        CONFIG, candidates_per_round=2, generator="llm:scripted:x",
        llm=LlmConfig(freedom="program", ideas_per_request=0, repair_rounds=0),
    )  # fmt: skip
    with pytest.raises(Awaiting, match="bring them"):
        coevolution.run(config, tmp_path)
    assert [r.kind for r in waiting] == ["program", "program"]
    assert not [r for r in read_jsonl(tmp_path / "events.jsonl") if r["kind"] == "candidate"]
    answers.update({r.key: fenced(variant(i)) for i, r in enumerate(waiting)})
    waiting.clear()
    summary = coevolution.run(config, tmp_path, resume=True)
    assert summary.rounds == 1 and waiting == []
    candidates = [r for r in read_jsonl(tmp_path / "events.jsonl") if r["kind"] == "candidate"]
    assert [c["proposal"]["receipt"]["response"] for c in candidates] == list(answers.values())


def test_what_a_clock_or_a_person_decided_is_read_back(tmp_path, monkeypatch) -> None:
    run, into = hand.write_run(tmp_path / "run"), tmp_path / "into"
    into.mkdir()
    verdicts = [
        {"text": "t", "verdict": {"proposal_id": f"r1-{i}", "ok": False, "reason": reason}}
        for i, reason in enumerate(("timeout", "syntax", "memory", "killed", "no_reward", ["x"]))
    ]
    (run / "verdicts.jsonl").write_text("".join(json.dumps(v) + "\n" for v in verdicts))
    (run / "audit").mkdir()
    (run / "audit" / "heeded.jsonl").write_text('{"program_hash": "a", "round": 1}\n')
    monkeypatch.setattr(coevolution, "run", lambda config, folder, **given: None)
    assert run_again(CONFIG, run, into, lambda kind, data: None) == 3
    assert read_jsonl(into / "verdicts.jsonl") == [verdicts[i] for i in (0, 2, 3)]
    assert read_heeded(into) == read_heeded(run) != {}


def test_an_unfinished_run_is_done_again_as_far_as_it_was_recorded(tmp_path, monkeypatch) -> None:
    run, into = hand.write_run(tmp_path / "run"), tmp_path / "into"  # rounds 0 and 1
    into.mkdir()
    went = stand_in(monkeypatch)
    run_again(dataclasses.replace(CONFIG, rounds=5), run, into, lambda kind, data: None)
    assert went == [(5, 0), (5, 1)]


def stand_in(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Runs that only count: (rounds asked for, round), and "over" where one comes to its end."""
    went: list[Any] = []

    def rounds(config, folder, on_event, resume=False) -> None:
        first = went[-1][1] + 1 if resume and went[-1] != "over" else 0
        first = went[-2][1] + 1 if resume and went[-1] == "over" else first
        budget = config.arm == "fixed" and config.env_step_budget
        for number in itertools.count(first) if budget else range(first, config.rounds + 1):
            on_event("iteration", {"round": number})
            went.append((config.rounds, number))
            on_event("round", {"round": number})
        went.append("over")

    monkeypatch.setattr(coevolution, "run", rounds)
    return went


def test_a_run_that_its_budget_ended_is_done_again_to_the_very_end(tmp_path, monkeypatch) -> None:
    run, into = hand.write_run(tmp_path / "run"), tmp_path / "into"  # 20,000 steps in round 1
    into.mkdir()
    went = stand_in(monkeypatch)
    config = dataclasses.replace(CONFIG, rounds=2, env_step_budget=20_000)
    run_again(config, run, into, lambda kind, data: None)
    assert went[-1] == "over", "what a person rejected since is heeded there"


def test_a_fixed_run_that_goes_on_is_done_again_as_far_as_it_was_recorded(
    tmp_path, monkeypatch
) -> None:
    run, into = hand.write_run(tmp_path / "run"), tmp_path / "into"
    into.mkdir()
    went = stand_in(monkeypatch)
    config = dataclasses.replace(CONFIG, arm="fixed", rounds=0, env_step_budget=1_000_000)
    run_again(config, run, into, lambda kind, data: None)
    assert went == [(0, 0), (0, 1)]


def plan(round: int, rounds: int) -> dict:
    before = {"rounds": rounds, "env_step_budget": None}
    return {"kind": "plan", "round": round, "before": before, "now": {}}


@pytest.mark.parametrize(
    ("last", "rounds", "plans", "expected"),
    [
        # Over after round 1, then extended; and broken off before round 2 was over, and later.
        (2, 2, [plan(2, 1)], [(1, 0), (1, 1), "over", (2, 2), "over"]),
        (1, 4, [plan(2, 1)], [(1, 0), (1, 1)]),
        (2, 4, [plan(2, 1)], [(1, 0), (1, 1), "over", (4, 2)]),
        # Broken off in round 1 and extended before it was over; then cut short.
        (3, 3, [plan(1, 5), plan(3, 9)], [(5, 0), (9, 1), (9, 2), (3, 3), "over"]),
    ],
)
def test_a_run_that_was_extended_is_done_again_in_stretches(
    tmp_path, monkeypatch, last, rounds, plans, expected
) -> None:
    lines = [hand.round_line(n, 1000 * n, [0] * 10) for n in range(last + 1)]
    for line in plans:
        lines.insert(line["round"], line)
    run, into = hand.write_run(tmp_path / "run", rounds=lines), tmp_path / "into"
    into.mkdir()
    went = stand_in(monkeypatch)
    config = dataclasses.replace(CONFIG, rounds=rounds)
    run_again(config, run, into, lambda kind, data: None)
    assert went == expected


def test_what_came_after_the_last_recorded_round_does_not_count(
    tmp_path, monkeypatch, capsys
) -> None:
    after = [hand.pool("evict", "a", 2), hand.pool("admit", "c", 2)]
    seen = [hand.pool("admit", "a"), hand.pool("admit", "b", 1)]
    run = hand.write_run(tmp_path / "run", events=[*seen, *after])
    config = dataclasses.replace(CONFIG, rounds=5, generator="evolve")
    (run / "config.yaml").write_text(yaml.safe_dump(to_plain(config)))

    def up_to_round_1(config, folder, on_event, resume) -> None:
        shutil.copy(run / "metrics.jsonl", folder)
        (folder / "events.jsonl").write_text("".join(json.dumps(e) + "\n" for e in seen))
        on_event("round", {"round": 1})

    monkeypatch.setattr(coevolution, "run", up_to_round_1)
    assert final_pool(run, 1) == ("a", "b")
    assert call(str(run), "--verify", "--json") == 0
    assert json.loads(capsys.readouterr().out)["pool"] == 2


def test_a_loss_that_is_not_a_number_is_the_same(tmp_path) -> None:
    one = hand.write_run(tmp_path / "one")
    rewrite(one / "metrics.jsonl", lambda x: [*x, {"kind": "a", "value": [float("nan")]}])
    shutil.copytree(one, tmp_path / "two")
    assert first_difference(one, tmp_path / "two", whole=True) is None
    rewrite(tmp_path / "two" / "metrics.jsonl", lambda x: [*x[:-1], {"kind": "a", "value": [1.0]}])
    assert "value[0] was" in str(first_difference(one, tmp_path / "two", whole=True))
