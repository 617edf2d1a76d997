"""The audit: who is looked at, what a person says, and what a run makes of it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import run_folders as hand
import yaml
from PIL import Image
from tiny_runs import TINY

from envs_dsl import library
from experiments import _cli, audit
from experiments.config import to_plain
from spade_jax import coevolution, curator
from spade_jax.audit import Audit, HeededVerdict, PersonVerdict, read_verdicts, sample
from spade_jax.checkpoint import latest
from spade_jax.curator import CuratorConfig, Posterior, gates
from spade_jax.manifest import read_manifest
from spade_jax.records import RecordError, read_jsonl
from spade_jax.replay import final_pool, first_difference, run_again
from spade_jax.types import PoolEntry, PoolEventKind, Reason, Verdict


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(audit.main, list(words))
    return int(stop.value.code or 0)


# ---- the sample ----------------------------------------------------------------------------------


def test_a_tenth_of_every_round_is_drawn_and_at_least_one() -> None:
    admitted = {1: [f"a{i}" for i in range(30)], 2: ["b0", "b1"], 3: [], 4: ["c"]}
    drawn = sample(admitted, seed=5)
    assert {round: len(programs) for round, programs in drawn.items()} == {1: 3, 2: 1, 4: 1}
    assert set(drawn[1]) < set(admitted[1]) and drawn[4] == ("c",)
    assert sample({1: admitted[1][::-1]}, seed=5) == {1: drawn[1]}, "the order does not matter"
    assert len({sample(admitted, seed)[1] for seed in range(8)}) > 1
    assert len(sample({1: map(str, range(11))}, 0)[1]) == 2


# ---- verdicts ------------------------------------------------------------------------------------


def test_the_last_word_counts_and_takes_effect_once(tmp_path: Path) -> None:
    person = Audit(tmp_path)
    assert person.due(3) == ()
    person.say(PersonVerdict("a" * 16, True, "dull"))
    person.say(PersonVerdict("b" * 16, True, "slow"))
    person.say(PersonVerdict("b" * 16, False))
    assert read_verdicts(tmp_path)["b" * 16].rejected is False
    dull = HeededVerdict("a" * 16, 3, "dull")
    assert person.due(3) == (dull,)
    person.say(PersonVerdict("b" * 16, True, "on second thoughts"))
    person.say(PersonVerdict("a" * 16, False))
    # A run that goes on from an earlier round removes it in the same one, whatever came since.
    assert person.due(2) == (HeededVerdict("b" * 16, 2, "on second thoughts"),)
    assert person.due(5) == (dull, HeededVerdict("b" * 16, 2, "on second thoughts"))


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("verdicts", '{"program_hash": "a", "verdict": "maybe"}', "'maybe' is neither"),
        ("verdicts", '{"verdict": "reject"}', "line 1: no program_hash"),
        ("verdicts", "[]", "line 1: not a JSON object"),
        ("heeded", '{"program_hash": "a", "round": "2"}', r"line 1: no round \(int\)"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, file: str, line: str, message: str) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / f"{file}.jsonl").write_text(line + "\n")
    with pytest.raises(RecordError, match=message):
        Audit(tmp_path).due(1)


# ---- the pool ------------------------------------------------------------------------------------


def entry(name: str) -> PoolEntry:
    values = hand.entry(name, history=((0, 0.5, 256),), features=(0.0,), parents=(), skills=())
    return PoolEntry(**values)


def test_what_was_refused_is_nowhere_and_nothing_like_it_comes_in() -> None:
    pool, _ = curator.start([entry("a"), entry("b"), entry("c")])
    pool, (out,) = curator.refuse(pool, "b", 4, "dull")
    assert (out.kind, out.reason, out.round) == (PoolEventKind.EVICT, "rejected by audit", 4)
    assert out.evidence == {"because": "dull", "success": 0.5}
    assert [e.program_hash for e in pool.active] == ["a", "c"]
    assert not pool.archive and not pool.quarantined
    assert [v.program_hash for v in curator.views(pool)] == ["a", "c"]
    assert curator.refuse(pool, "b", 5, "again") == (pool, ())
    assert curator.quarantine(pool, "b", 5, "fault", {}) == (pool, ())
    assert curator.restore(pool, 5, CuratorConfig())[1] == ()
    assert curator.from_state(json.loads(json.dumps(curator.to_state(pool)))) == pool

    def gate(**hashes: str) -> Reason | None:
        identity = {"program_hash": "n", "skeleton_hash": "sn", "behaviour_hash": "bn"} | hashes
        verdict = Verdict("r5-0", True, Reason.OK, **identity)
        return gates(verdict, Posterior(128, 256), CuratorConfig(), pool.identities())

    assert gate() is None
    assert gate(program_hash="b") is Reason.DUPLICATE
    assert gate(behaviour_hash="bb") is Reason.SAME_BEHAVIOUR
    assert gate(skeleton_hash="sb") is Reason.REFUSED
    assert gate(skeleton_hash="sa") is None, "variants of what is in the pool are welcome"


def test_a_checkpoint_from_before_the_audit_is_read() -> None:
    pool, _ = curator.start([entry("a")])
    state = curator.to_state(pool)
    del state["refused"]
    assert curator.from_state(state) == pool


# ---- the command ---------------------------------------------------------------------------------

EVIL = "</pre><script>alert(1)</script>"


@pytest.fixture
def accepted(tmp_path: Path) -> tuple[Path, str]:
    """A run that accepted one program, whose receipt is hostile."""
    program = next(p for p in library.seeds() if p.name == "key_door")
    key = program.hashes.program
    line = hand.candidate("r1-0", source=program.source, program=key, admitted=True, round=1)
    line["proposal"]["receipt"] = {"model": "tiny-1", "idea": {"title": EVIL}}
    witness = {"seed": 3, "seat": 0, "actions": [4, 4, 5]}
    line["verdict"]["stages"].append(
        {"name": "certificate", "ok": True, "seconds": 0.1, "detail": {"witness": witness}}
    )
    pool = hand.pool("admit", key, 1, seed=False, name="door-1", source=program.source)
    return hand.write_run(tmp_path / "run", events=[line, pool]), key


def test_the_sample_is_laid_out_for_a_person(accepted: tuple[Path, str], capsys: Any) -> None:
    run, key = accepted
    assert call(str(run)) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(run / "audit" / "index.html")
    page = (run / "audit" / "index.html").read_text()
    assert "tiny-1" in page and "a win that the search found on level 3" in page
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    assert f"--reject {key}" in page
    assert (run / "audit" / f"{key}.py").read_text().startswith('"""')
    assert json.loads((run / "audit" / f"{key}.json").read_text())["proposal"]["id"] == "r1-0"
    with Image.open(run / "audit" / f"{key}.gif") as picture:
        assert picture.n_frames == 4  # the first state and three steps


def test_verdicts_are_taken_by_name_or_hash(accepted: tuple[Path, str], capsys: Any) -> None:
    run, key = accepted
    assert call(str(run), "--reject", "door-1") == 2
    assert "needs --because" in capsys.readouterr().err
    assert call(str(run), "--reject", "dor-1", "--because", "x") == 2
    assert "did you mean 'door-1'?" in capsys.readouterr().err
    assert call(str(run), "--reject", "a", "--approve", "b", "--because", "x") == 2
    assert "not both" in capsys.readouterr().err
    assert not (run / "audit").exists()
    assert call(str(run), "--approve", key[:6]) == 0
    assert call(str(run), "--reject", "door-1", "--because", EVIL) == 0
    assert "--resume" in capsys.readouterr().out
    assert call(str(run), "--json") == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["status"], shown["because"]) == ("rejected; to be removed", EVIL)
    assert call(str(run)) == 0
    assert "<script" not in (run / "audit" / "index.html").read_text()
    Audit(run).due(2)
    assert call(str(run), "--approve", key) == 0
    assert "was removed in round 2 and stays out" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["candidate", "pool", "evaluation"])
def test_a_hash_that_leads_out_of_the_folder_is_refused(
    tmp_path: Path, capsys: Any, kind: str
) -> None:
    evil = "../../ESCAPED"
    lines = {
        "candidate": hand.candidate("r1-0", source="x", program=evil, admitted=True, round=1),
        "pool": hand.pool("admit", evil, 1),
        "evaluation": hand.evaluation(evil, 0.5, 1),
    }
    run = hand.write_run(tmp_path / "deep" / "run", events=[lines[kind]])
    assert call(str(run)) == 2
    said = capsys.readouterr().err
    assert f"damaged {kind} line ('../../ESCAPED' is no program hash)" in said
    assert said.count("\n") == 1
    assert not list(tmp_path.rglob("ESCAPED*"))


# ---- the run -------------------------------------------------------------------------------------


def test_a_run_removes_what_was_rejected_and_a_replay_does_so_in_the_same_rounds(
    tmp_path: Path,
) -> None:
    config = dataclasses.replace(
        TINY, rounds=1, heldout_every=2, heldout_episodes=1, generator="none", pretrain_iterations=1
    )
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    (first / "config.yaml").write_text(yaml.safe_dump(to_plain(config)))
    coevolution.run(config, first)
    trained = _laid_out(first)
    Audit(first).say(PersonVerdict(trained, True, "dull"))
    more = dataclasses.replace(config, rounds=2)
    coevolution.run(more, first, resume=True)
    late = [e for e in read_jsonl(first / "events.jsonl") if e["kind"] == "evaluation"]
    assert trained not in {e["program_hash"] for e in late if e["round"] == 2}
    last = _laid_out(first)
    assert last != trained
    Audit(first).say(PersonVerdict(last, True, "slow"))
    coevolution.run(more, first, resume=True)
    assert _laid_out(first) not in (last, trained)
    changes = [e["event"] for e in read_jsonl(first / "events.jsonl") if e["kind"] == "pool"]
    out = [c for c in changes if c["reason"] == "rejected by audit"]
    assert [(c["kind"], c["round"], c["program_hash"]) for c in out] == [
        ("evict", 2, trained),
        ("evict", 3, last),
    ]
    assert [c["evidence"]["because"] for c in out] == ["dull", "slow"]

    # A round that was the last one once was measured, and is again.
    lines = read_jsonl(first / "metrics.jsonl")
    assert [r["round"] for r in lines if r["kind"] == "heldout"] == [0, 0, 1, 2]
    (extended,) = [r for r in lines if r["kind"] == "plan"]
    assert (extended["round"], extended["before"]["rounds"], extended["now"]["rounds"]) == (2, 1, 2)
    # What was removed since does not change how good the policy was measured to be.
    assert read_manifest(latest(first / "checkpoints"))["score"] is not None

    # Said, but not heeded yet: no part of what is done again.
    Audit(first).say(PersonVerdict(_laid_out(first), True, "late"))
    second.mkdir()
    run_again(more, first, second, lambda kind, data: None)
    assert first_difference(first, second, whole=True) is None
    assert final_pool(first) == final_pool(second)


def _laid_out(run: Path) -> str:
    """A program in training at the last checkpoint."""
    last = latest(run / "checkpoints")
    assert last is not None
    return json.loads((last / "meta.json").read_text())["slots"][0]
