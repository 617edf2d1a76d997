"""A round of co-evolution, in this process, with generators made for the purpose."""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tiny_runs import TINY

from envs_dsl import load
from envs_dsl.library import seeds
from envs_dsl.metadata import read_header
from spade_jax import coevolution
from spade_jax.config import Config
from spade_jax.curator import heldout
from spade_jax.learner import Learner
from spade_jax.records import read_jsonl
from spade_jax.types import Context, Outcome, Proposal


class Scripted:
    """Proposes what it was given; remembers what it was told."""

    name = "scripted"
    sources: Sequence[str] = ()
    delay = 0.0
    told: list[Outcome]

    def __init__(self) -> None:
        self.told = []

    def propose(self, context: Context, n: int) -> Sequence[Proposal]:
        time.sleep(self.delay)
        if context.round == 2 and not self.sources:
            raise RuntimeError("the model is gone")
        return [Proposal("", source, self.name, "as given") for source in self.sources]

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        self.told += outcomes

    def state_dict(self) -> dict[str, Any]:
        return {"told": len(self.told)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.told = [None] * state["told"]  # type: ignore[list-item]


class Rubbish(Scripted):
    sources = ("\0", "import os", "x" * 20_000)


class Junk(Scripted):
    """Goes on for ever with what cannot be recorded; its state is not JSON."""

    def propose(self, context: Context, n: int) -> Any:
        yield Proposal("", "import os", self.name, "fine", receipt={"round": context.round})
        yield None
        yield Proposal("", b"import os", self.name, "bytes")  # type: ignore[arg-type]
        while True:
            if context.round == 2:
                sys.exit("the generator wants to leave")
            yield Proposal("", "\ud800", self.name, "surrogate", receipt={"a": object()})

    def state_dict(self) -> dict[str, Any]:
        return {"told": len(self.told)} if not self.told else {"told": {1, 2}}


class Slow(Scripted):
    sources = ("import os",)
    delay = 20.0


def run(folder: pathlib.Path, **changes: Any) -> list[tuple[str, Mapping[str, Any]]]:
    events: list[tuple[str, Mapping[str, Any]]] = []
    config: Config = dataclasses.replace(TINY, **changes)
    coevolution.run(config, folder, on_event=lambda kind, data: events.append((kind, data)))
    return events


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("evolved")
    run(folder, rounds=4, candidates_per_round=6)
    return folder


def test_every_candidate_has_one_record(evolved: pathlib.Path) -> None:
    candidates = [e for e in read_jsonl(evolved / "events.jsonl") if e["kind"] == "candidate"]
    assert len(candidates) == 4 * 6
    assert len({c["proposal"]["id"] for c in candidates}) == len(candidates)
    for c in candidates:
        assert c["proposal"]["source"]
        assert c["admitted"] == (c["reason"] == "ok")
        assert c["verdict"]["stages"]


def test_admitted_programs_are_plain_files_with_a_header(evolved: pathlib.Path) -> None:
    changes = [e for e in read_jsonl(evolved / "events.jsonl") if e["kind"] == "pool"]
    admitted = {e["event"]["program_hash"] for e in changes if e["event"]["kind"] == "admit"}
    assert len(admitted) > len(seeds()), "the generator's programs are admitted, too"
    for key in admitted:
        program = load(evolved / "programs" / f"{key}.py")
        assert program.hashes.program == key == read_header(program.source)["program_hash"]


def test_no_admitted_program_is_a_heldout_one(evolved: pathlib.Path) -> None:
    forbidden = heldout.identities()
    for e in read_jsonl(evolved / "events.jsonl"):
        if e["kind"] == "pool" and "program" in e:
            entry = e["program"]
            assert not {entry["behaviour_hash"], entry["skeleton_hash"]} & forbidden


def test_budget_counts_training_evaluation_and_screening(evolved: pathlib.Path) -> None:
    metrics = read_jsonl(evolved / "metrics.jsonl")
    events = read_jsonl(evolved / "events.jsonl")
    evaluated = sum(e["env_steps"] for e in events if e["kind"] == "evaluation")
    screened = sum(e["verdict"]["env_steps"] for e in events if e["kind"] == "candidate")
    rounds = [m for m in metrics if m["kind"] == "round"]
    iterations = [m for m in metrics if m["kind"] == "iteration"]
    trained = 0
    before = 0
    for m in metrics:
        if m["kind"] == "iteration":
            trained += m["env_steps"] - before
        if "env_steps" in m:
            before = m["env_steps"]
    assert rounds[-1]["env_steps"] >= trained + screened
    assert rounds[-1]["env_steps"] <= trained + screened + evaluated * 2
    assert len(iterations) == 2 + 4 * 2


def test_rubbish_costs_its_own_candidates_only(tmp_path: pathlib.Path) -> None:
    events = run(tmp_path, rounds=2, generator="test_coevolution:Rubbish")
    reasons = [d["reason"] for kind, d in events if kind == "candidate"]
    assert len(reasons) == 6
    assert set(reasons) <= {"syntax", "invalid"}


def test_a_generator_that_fails_costs_its_proposals_and_is_named(tmp_path: pathlib.Path) -> None:
    events = run(tmp_path, rounds=2, generator="test_coevolution:Scripted")
    warnings = [d["text"] for kind, d in events if kind == "warning"]
    assert warnings == ["generator scripted: RuntimeError: the model is gone"]
    assert [d["round"] for kind, d in events if kind == "round"] == [0, 1, 2]


def test_what_a_generator_gives_is_looked_at_before_it_is_used(tmp_path: pathlib.Path) -> None:
    events = run(tmp_path, rounds=3, generator="test_coevolution:Junk", candidates_per_round=5)
    assert [d["reason"] for kind, d in events if kind == "candidate"] == ["syntax"] * 2
    assert [d["text"] for kind, d in events if kind == "warning"] == [
        "generator scripted: a proposal is left out: NoneType is not a Proposal",
        "generator scripted: SystemExit: the generator wants to leave",
        "generator scripted: a proposal is left out: NoneType is not a Proposal",
    ]
    assert [d["round"] for kind, d in events if kind == "round"] == [0, 1, 2, 3]


@pytest.mark.parametrize("delay", [4.0, pytest.param(20.0, marks=pytest.mark.slow)])
def test_a_slow_generator_does_not_make_the_learner_wait(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, delay: float
) -> None:
    """The generator sleeps through most of a round; what is waited for is less than a second."""
    (tmp_path / "pace").mkdir()
    measured = run(tmp_path / "pace", rounds=0, pretrain_iterations=40)
    pace = sorted(d["seconds"] for kind, d in measured if kind == "iteration")[20]
    monkeypatch.setattr(Slow, "delay", delay)
    (tmp_path / "slow").mkdir()
    events = run(
        tmp_path / "slow",
        rounds=1,
        iterations_per_round=int(3 * delay / pace) + 1,
        generator="test_coevolution:Slow",
    )
    (slow,) = [d for kind, d in events if kind == "round" and d["round"] == 1]
    assert slow["seconds"] > delay
    assert slow["wait_screening_seconds"] < 1.0


def test_a_program_that_misbehaves_is_quarantined_and_the_run_goes_on(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = Learner.train_iteration

    def broken_once(self: Learner, state: Any, layout: Any) -> Any:
        state, metrics = train(self, state, layout)
        if metrics.iteration == 3:
            first = dataclasses.replace(metrics.slots[0], healthy=False)
            metrics = dataclasses.replace(metrics, slots=(first, *metrics.slots[1:]))
        return state, metrics

    monkeypatch.setattr(Learner, "train_iteration", broken_once)
    events = run(tmp_path, rounds=3)
    changes = [d["event"] for kind, d in events if kind == "pool"]
    (out,) = [e for e in changes if e["kind"] == "quarantine"]
    assert (out["round"], out["reason"]) == (1, "not_finite")
    assert out["evidence"]["iteration"] == 3
    (back,) = [e for e in changes if e["kind"] == "restore" and e["reason"] == "healthy"]
    assert back["program_hash"] == out["program_hash"]
    assert back["round"] > out["round"]
    assert [d["round"] for kind, d in events if kind == "round"] == [0, 1, 2, 3]


def test_newcomers_that_do_not_compile_are_taken_out_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = Learner.prepare
    first: list[Any] = []

    def refuse(self: Learner, layout: Any) -> None:
        first.append(layout)
        if layout.hashes != first[0].hashes:
            raise RuntimeError("out of memory\nwhile compiling")
        prepare(self, layout)

    monkeypatch.setattr(Learner, "prepare", refuse)
    events = run(tmp_path, rounds=4, candidates_per_round=6)
    changes = [d["event"] for kind, d in events if kind == "pool"]
    out = [e for e in changes if e["kind"] == "quarantine"]
    assert out
    assert {e["reason"] for e in out} == {"compile"}
    assert {e["evidence"]["error"] for e in out} == {"out of memory"}
    assert [d["round"] for kind, d in events if kind == "round"] == [0, 1, 2, 3, 4]


def test_the_fixed_arm_spends_its_budget_on_the_seeds(tmp_path: pathlib.Path) -> None:
    events = run(tmp_path, arm="fixed", env_step_budget=5_000, rounds=1)
    spent = [d["env_steps"] for kind, d in events if kind == "iteration"][-1]
    assert 5_000 <= spent < 5_000 + 2 * 16 * 16 + 1
    assert not [1 for kind, _ in events if kind in ("candidate", "evaluation")]
    assert [kind for kind, _ in events][-2:] == ["heldout", "round"]
