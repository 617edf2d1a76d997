"""A round of co-evolution, in this process, with generators made for the purpose."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from small_programs import FAULTY, RIGHT
from tiny_runs import TINY, write_config

from envs_dsl import Program, load
from envs_dsl.adaptive import AdaptiveConfig
from envs_dsl.library import seeds
from envs_dsl.metadata import read_header
from experiments import inspect
from spade_jax import checkpoint, coevolution, curator, rooms, training
from spade_jax.config import Config
from spade_jax.curator import heldout
from spade_jax.evidence import read_evidence, replay
from spade_jax.learner import Learner
from spade_jax.manifest import read_manifest
from spade_jax.records import read_jsonl
from spade_jax.run_state import RunState, context_at, from_meta, layout_of, to_meta
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
    run(folder, seed=1, rounds=4, candidates_per_round=6)
    return folder


def test_programs_without_a_slot_are_measured_in_turn(evolved: pathlib.Path) -> None:
    """There are two slots, and many more programs: two more are measured in every round."""
    active: set[str] = set()
    measured: dict[int, list[str]] = {}
    again = 0
    for e in read_jsonl(evolved / "events.jsonl"):
        if e["kind"] == "evaluation":
            key = e["program_hash"]
            # archived programs are played by the workers, with the policy of the round's start
            archived = key not in active
            assert e["iteration"] == 2 + 2 * (e["round"] - archived)
            again += archived
            if not archived:
                measured.setdefault(e["round"], []).append(key)
        elif e["kind"] == "pool":
            entered = e["event"]["kind"] in ("admit", "restore")
            (active.add if entered else active.discard)(e["event"]["program_hash"])
    assert again and {r: len(set(keys)) for r, keys in measured.items()} == dict.fromkeys(
        range(5), 4
    )
    assert len({key for keys in measured.values() for key in keys}) >= 2 + 5 * 2


def test_every_candidate_has_one_record(evolved: pathlib.Path) -> None:
    candidates = [e for e in read_jsonl(evolved / "events.jsonl") if e["kind"] == "candidate"]
    assert len(candidates) == 4 * 6
    assert len({c["proposal"]["id"] for c in candidates}) == len(candidates)
    for c in candidates:
        assert c["proposal"]["source"]
        assert c["admitted"] == (c["reason"] == "ok")
        assert c["verdict"]["stages"]


def test_admitted_programs_have_the_skills_that_their_play_verified(evolved: pathlib.Path) -> None:
    events = read_jsonl(evolved / "events.jsonl")
    pool = [e["program"] for e in events if e["kind"] == "pool" and "program" in e]
    entries = {p["program_hash"]: p for p in pool if not p["seed"]}
    changed = dict.fromkeys(range(5), 0)
    for c in events:
        if c["kind"] == "candidate" and c["admitted"]:
            (stage,) = [s for s in c["verdict"]["stages"] if s["name"] == "behaviour"]
            found = stage["detail"]["skills"]
            expected = list(found["verified"]) or found["declared"]
            assert entries[c["verdict"]["program_hash"]]["skills"] == expected
            changed[c["round"]] += expected != found["declared"]
    lines = read_jsonl(evolved / "metrics.jsonl")
    assert entries and changed == {
        r["round"]: r["relabelled"] for r in lines if r["kind"] == "round"
    }


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


def test_only_a_policy_that_was_measured_has_a_score(evolved: pathlib.Path) -> None:
    lines = read_jsonl(evolved / "metrics.jsonl")
    measured = {m["round"]: m["mean"] for m in lines if m["kind"] == "heldout"}
    assert set(measured) == {0, 2, 4}  # every second round
    found = {}
    for folder in checkpoint.listed(evolved / "checkpoints"):
        manifest = read_manifest(folder)
        found[manifest["step"]] = manifest["score"]
    # A checkpoint's number is the round after it.
    assert {step: found[step] for step in (3, 4, 5)} == {3: measured[2], 4: None, 5: measured[4]}


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
    trained: list[tuple[str, ...]] = []

    def broken_once(self: Learner, state: Any, layout: Any) -> Any:
        state, metrics = train(self, state, layout)
        trained.append(layout.hashes)
        if metrics.iteration == 3:
            first = dataclasses.replace(metrics.slots[0], healthy=False)
            metrics = dataclasses.replace(metrics, slots=(first, *metrics.slots[1:]))
        return state, dataclasses.replace(metrics, skipped=2 if metrics.iteration > 5 else 0)

    monkeypatch.setattr(Learner, "train_iteration", broken_once)
    events = run(tmp_path, rounds=3)
    changes = [d["event"] for kind, d in events if kind == "pool"]
    (out,) = [e for e in changes if e["kind"] == "quarantine"]
    assert (out["round"], out["reason"]) == (1, "not_finite")
    assert out["evidence"]["iteration"] == 3
    assert "did not show it" in out["evidence"]["note"], "nothing was wrong with the program"
    assert out["program_hash"] in trained[2]
    assert out["program_hash"] not in trained[3]
    (back,) = [e for e in changes if e["kind"] == "restore" and e["reason"] == "healthy"]
    assert back["program_hash"] == out["program_hash"]
    assert back["round"] > out["round"]
    assert [d["round"] for kind, d in events if kind == "round"] == [0, 1, 2, 3]
    # What the learner could not learn from is said once a round; two iterations each.
    skipped = [d.get("skipped") for kind, d in events if kind == "iteration"]
    assert skipped == [None] * 5 + [2] * 3
    said = [d["text"] for kind, d in events if kind == "warning" and "minibatches" in d["text"]]
    assert [text.split(" were ")[0] for text in said] == [
        "round 2: the gradients of 2 minibatches",
        "round 3: the gradients of 4 minibatches",
    ]


@pytest.mark.parametrize(
    ("changes", "free"),
    [
        ({}, 2),
        pytest.param(
            {"adaptive": True, "difficulty": AdaptiveConfig(initial=0.4)},
            3,  # 3.4, a fifth of the way from 2 to 9
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_program_that_faults_in_training_is_quarantined_with_evidence_that_replays(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    free: int,
) -> None:
    faulty = Program.from_source(FAULTY.replace("STEPS", "60"), "faulty")
    ice = next(p for p in seeds() if p.name == "ice")
    monkeypatch.setattr(rooms, "seeds", lambda: (ice, faulty))
    write_config(tmp_path).rename(tmp_path / "config.yaml")
    events = run(tmp_path, arm="fixed", env_step_budget=1_000, heldout_episodes=1, **changes)
    (out,) = [d["event"] for kind, d in events if kind == "pool" and d["event"]["kind"] != "admit"]
    assert (out["kind"], out["reason"]) == ("quarantine", "fault")
    assert out["program_hash"] == faulty.hashes.program
    evidence = read_evidence(out["evidence"])
    assert evidence.step == replay(evidence)
    assert sum(action == RIGHT for (action,) in evidence.actions) == evidence.params[0] == free
    programs = [d["programs"] for kind, d in events if kind == "iteration"]
    assert programs[0] == 2 and programs[evidence.iteration :] and programs[-1] == 1

    command = f"python -m experiments.inspect {tmp_path} {out['program_hash']}"
    said = [d["text"] for kind, d in events if kind == "message"]
    assert f"faulty is quarantined: fault; see {command}" in said
    assert inspect.main([str(tmp_path), out["program_hash"]]) == 0
    told = capsys.readouterr().out
    assert f"a replay shows the same at step {evidence.step}" in told
    assert inspect.main([str(tmp_path), out["program_hash"], "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["replays"]
    assert found["shown"] == found["step"] == evidence.step


def refuse(monkeypatch: pytest.MonkeyPatch, fails: Callable[[Sequence[Any]], bool]) -> None:
    """Nothing is compiled where ``fails`` (of the programs compiled together) is true."""

    def guarded(compile: Callable[..., None], programs: Callable[[Any], Sequence[Any]]) -> Any:
        def method(self: Learner, given: Any, *rest: Any) -> None:
            if fails(programs(given)):
                raise RuntimeError("out of memory\nwhile compiling")
            compile(self, given, *rest)

        return method

    alone = guarded(Learner.prepare_evaluation, lambda programs: programs)
    together = guarded(Learner.prepare, lambda layout: layout.programs)
    monkeypatch.setattr(Learner, "prepare_evaluation", alone)
    monkeypatch.setattr(Learner, "prepare", together)


def test_newcomers_that_do_not_compile_are_taken_out_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: set[str] = set()  # the first layout's

    def newcomers(programs: Sequence[Any]) -> bool:
        hashes = {p.hashes.program for p in programs}
        known.update(() if known else hashes)
        return not hashes <= known

    refuse(monkeypatch, newcomers)
    events = run(tmp_path, rounds=2, heldout_episodes=1)
    changes = [d["event"] for kind, d in events if kind == "pool"]
    out = [e for e in changes if e["kind"] == "quarantine"]
    assert out
    assert {e["reason"] for e in out} == {"compile"}
    assert {e["evidence"]["error"] for e in out} == {"out of memory"}
    assert not {e["program_hash"] for e in out} & known
    assert [d["round"] for kind, d in events if kind == "round"] == [0, 1, 2]


@pytest.fixture
def joining(tmp_path: pathlib.Path) -> Iterator[tuple[rooms.Rooms, Any, list[Any]]]:
    """Rooms, a state in which two programs hold all six slots, and what is recorded."""
    learner = dataclasses.replace(TINY.learner, slots=6, cohort_size=2)
    config = dataclasses.replace(TINY, arm="fixed", learner=learner)
    told: list[Any] = []
    with rooms.open_rooms(config, tmp_path, False, lambda *event: told.append(event)) as opened:
        pool, _ = curator.start(opened.seed_entries()[:5])
        first, second = [e.program_hash for e in pool.active[:2]]
        layout = layout_of(pool, (first, second) * 3, 2)
        learner_state = opened.learner.init(0, layout)
        yield opened, RunState(1, 0, pool, layout, learner_state), told


def joined(joining: Any) -> tuple[Any, list[Any], list[str]]:
    """The state after joining, pool changes and warnings."""
    opened, state, told = joining
    state = training.join(state, opened, *opened.start_compiling(state))
    changes = [d["event"] for kind, d in told if kind == "pool"]
    return state, changes, [d["text"] for kind, d in told if kind == "warning"]


def test_only_the_newcomer_that_fails_alone_is_quarantined(
    joining: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    everyone = [e.program_hash for e in joining[1].pool.active]
    culprit = everyone[3]
    monkeypatch.setattr(Learner, "prepare", lambda self, layout: None)
    monkeypatch.setattr(Learner, "prepare_evaluation", lambda self, programs: None)
    refuse(monkeypatch, lambda programs: culprit in {p.hashes.program for p in programs})
    state, (out,), warnings = joined(joining)
    assert (out["kind"], out["program_hash"], out["reason"]) == ("quarantine", culprit, "compile")
    assert out["evidence"] == {"error": "out of memory", "stage": "compile"}
    assert set(state.layout.hashes) == set(everyone) - {culprit}, "the innocent join at once"
    assert [e.program_hash for e in state.pool.quarantined] == [culprit]
    assert not warnings

    # It stays there: workers, who play without compiling, are not asked about it, now or later.
    opened, asked = joining[0], []
    opened.screening = SimpleNamespace(start=lambda *given: asked.append(given[5]))
    kept = json.loads(json.dumps(to_meta(state)))
    again = from_meta(kept, state.learner, opened.learner)
    first = state.layout.hashes[0]
    faulty, _ = curator.quarantine(again.pool, first, 1, "fault", {})
    opened.start_screening(
        dataclasses.replace(again, pool=faulty), context_at(1, again.pool, (), TINY)
    )
    assert [[e.program_hash for e in given] for given in asked] == [[first]]


def test_newcomers_that_fail_only_together_wait(
    joining: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = joining[1]
    monkeypatch.setattr(Learner, "prepare", lambda self, layout: None)
    monkeypatch.setattr(Learner, "prepare_evaluation", lambda self, programs: None)
    refuse(monkeypatch, lambda programs: len({p.hashes.program for p in programs}) > 3)
    state, changes, (warning,) = joined(joining)
    assert not changes and state.layout == before.layout and state.pool == before.pool
    assert warning.endswith("did not compile: out of memory")


def test_who_is_quarantined_meanwhile_does_not_come_with_the_newcomers(
    joining: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, state, _ = joining
    monkeypatch.setattr(Learner, "prepare", lambda self, layout: None)
    target, compiled = opened.start_compiling(state)
    first = state.layout.hashes[0]
    assert first in target.hashes
    pool, _ = curator.quarantine(state.pool, first, 1, "fault", {})
    layout = opened.next_layout(pool, state.layout, 1)
    state = training.lay_out(dataclasses.replace(state, pool=pool), opened, layout)
    state = training.join(state, opened, target, compiled)
    assert set(state.layout.hashes) == {e.program_hash for e in pool.active}


def test_a_newcomer_that_moves_up_for_a_quarantined_program_may_not_compile(
    joining: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, state, told = joining
    everyone = [e.program_hash for e in state.pool.active]
    culprit, faulty = everyone[3], state.layout.hashes[0]
    monkeypatch.setattr(Learner, "prepare", lambda self, layout: None)
    monkeypatch.setattr(Learner, "prepare_evaluation", lambda self, programs: None)
    refuse(monkeypatch, lambda programs: culprit in {p.hashes.program for p in programs})
    monkeypatch.setattr(opened, "evidence", lambda *given: {})
    state = training.quarantine(state, opened, {faulty: "fault"}, state.learner)
    changes = [d["event"] for kind, d in told if kind == "pool"]
    assert [(c["program_hash"], c["reason"]) for c in changes] == [
        (faulty, "fault"),
        (culprit, "compile"),
    ]
    assert set(state.layout.hashes) == set(everyone) - {faulty, culprit}


def test_a_quarantined_program_leaves_though_the_newcomers_do_not_compile_together(
    joining: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, state, told = joining
    first, second = state.layout.hashes[:2]
    monkeypatch.setattr(Learner, "prepare", lambda self, layout: None)
    monkeypatch.setattr(Learner, "prepare_evaluation", lambda self, programs: None)
    refuse(monkeypatch, lambda programs: len({p.hashes.program for p in programs}) > 3)
    monkeypatch.setattr(opened, "evidence", lambda *given: {})
    state = training.quarantine(state, opened, {first: "fault"}, state.learner)
    assert set(state.layout.hashes) == {second}
    assert next(d["text"] for kind, d in told if kind == "warning").endswith("out of memory")


def test_the_fixed_arm_spends_its_budget_on_the_seeds(tmp_path: pathlib.Path) -> None:
    events = run(tmp_path, arm="fixed", env_step_budget=5_000, rounds=1)
    spent = [d["env_steps"] for kind, d in events if kind == "iteration"][-1]
    assert 5_000 <= spent < 5_000 + 2 * 16 * 16 + 1
    assert not [1 for kind, _ in events if kind in ("candidate", "evaluation")]
    assert [kind for kind, _ in events][-2:] == ["heldout", "round"]
