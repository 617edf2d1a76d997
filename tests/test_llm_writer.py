"""The generator that asks a language model: scripted answers, from good to hopeless."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest
from scripted_model import SEEDS, Scripted, context, fenced, ideas, variant

from envs_dsl import Program
from spade_jax.generator import Awaiting, close, load_state, make_generator, state_of
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import Request, Response, backends
from spade_jax.generator.llm.exchanges import Exchanges, read_exchanges
from spade_jax.generator.llm.holes import holes
from spade_jax.generator.llm.writer import LanguageModel
from spade_jax.records import VerdictJournal
from spade_jax.screening import Known, Screening
from spade_jax.types import Outcome, Reason, Verdict, to_json

PROGRAM = LlmConfig(freedom="program", ideas_per_request=2)

BROKEN = variant(0).replace("def step(s, act):", "def step(s, act):\n    s.nothing = 1", 1)


def good(request: Request, number: int) -> str:
    return ideas(number) if request.kind == "ideas" else fenced(variant(number))


def outcomes(proposals, ok=True, admitted=False):
    reason = Reason.OK if ok else Reason.NO_REWARD
    return [Outcome(p, Verdict(p.id, ok, reason), admitted, reason.value) for p in proposals]


def test_ideas_then_programs_each_in_one_call() -> None:
    model = Scripted(good)
    generator = LanguageModel(model, PROGRAM)
    proposals = generator.propose(context(round=3), 4)
    assert model.kinds == [["ideas"] * 2, ["program"] * 4]
    assert [p.id for p in proposals] == ["r3-0", "r3-1", "r3-2", "r3-3"]
    assert {p.generator for p in proposals} == {"llm:scripted"}
    assert len({Program.from_source(p.source).hashes.program for p in proposals}) == 4
    assert len({r.id for call in model.calls for r in call}) == 6
    # Each program is asked for with an idea of its own.
    titles = [p.receipt["idea"]["title"] for p in proposals]
    assert titles == ["bread ba oven", "night ba watch", "bread bb oven", "night bb watch"]
    for request, title in zip(model.calls[1], titles, strict=True):
        assert title in request.messages[-1].content
    assert generator.notice == ""


def test_the_receipt_says_how_a_program_came_about() -> None:
    model = Scripted(good)
    (proposal,) = LanguageModel(model, PROGRAM).propose(context(), 1)
    receipt = proposal.receipt
    assert json.loads(json.dumps(receipt)) == receipt
    (asked,) = model.calls[1]
    assert receipt["exchanges"] == [model.calls[0][0].key, asked.key]
    assert receipt["model"] == "tiny" and receipt["revision"] == "rev1"
    assert receipt["response"] == fenced(variant(1))
    assert receipt["sampling"]["temperature"] == 0.8
    assert receipt["sampling"]["seed"] == asked.sampling.seed
    assert (receipt["prompt_tokens"], receipt["completion_tokens"], receipt["seconds"]) == (
        20,
        10,
        1.0,
    )
    assert len(receipt["prompt"]["hash"]) == 16
    assert receipt["theme"] == receipt["aim"]["theme"]
    assert receipt["choices"]["operator"] == ["program"]
    assert receipt["program"] == Program.from_source(proposal.source).hashes.program


def test_what_does_not_check_is_repaired_with_its_diagnostics() -> None:
    def answer(request: Request, number: int) -> str:
        if request.kind == "repair":
            return fenced(variant(7)) if "s.nothing = 1" in request.messages[-1].content else "?"
        return ideas(number) if request.kind == "ideas" else fenced(BROKEN)

    model = Scripted(answer)
    (proposal,) = LanguageModel(model, PROGRAM).propose(context(), 1)
    assert model.kinds == [["ideas"], ["program"], ["repair"]]
    assert "E202" in model.calls[2][0].messages[-1].content
    assert proposal.source.strip() == variant(7).strip()
    written, repaired = proposal.receipt["steps"]
    assert written["codes"] == ["E202"] and repaired["codes"] == []
    assert proposal.receipt["repairs"] == 1 and not proposal.receipt["salvaged"]


def test_a_repair_that_made_it_worse_is_not_gone_on_with() -> None:
    texts = iter([BROKEN, "def step(:", "def step(:", "def step(:"])
    model = Scripted(lambda r, n: ideas(n) if r.kind == "ideas" else fenced(next(texts)))
    generator = LanguageModel(model, dataclasses.replace(PROGRAM, salvage=False))
    assert generator.propose(context(), 1) == ()
    assert model.kinds == [["ideas"], ["program"], ["repair"], ["repair"], ["repair"]]
    for call in model.calls[2:]:
        assert "s.nothing = 1" in call[0].messages[-1].content
    assert generator.notice == "none of 1 programs checked"


def test_what_cannot_be_repaired_is_salvaged() -> None:
    model = Scripted(lambda r, n: ideas(n) if r.kind == "ideas" else fenced(BROKEN))
    (proposal,) = LanguageModel(model, dataclasses.replace(PROGRAM, repair_rounds=1)).propose(
        context(), 1
    )
    assert proposal.source.strip() == variant(0).strip()  # the line at fault is gone, no other
    assert proposal.receipt["salvaged"]


@pytest.mark.parametrize(
    "text", ["", "I cannot do that.", "\0" * 50, "```python\n```", "x" * 300_000, "def " * 70_000]
)
def test_hopeless_answers_cost_only_their_own_candidate(text: str) -> None:
    def answer(request: Request, number: int) -> str:
        return fenced(variant(3)) if request.id.startswith("r1-write-1-") else text

    config = dataclasses.replace(PROGRAM, ideas_per_request=0)
    proposals = LanguageModel(Scripted(answer), config).propose(context(), 3)
    assert [p.source.strip() for p in proposals] == [variant(3).strip()]


def test_huge_answers_are_cut_before_they_are_kept(tmp_path) -> None:
    text = fenced(variant(2)) + "spam " * 2_000_000
    journal = Exchanges(tmp_path / "exchanges.jsonl")
    config = dataclasses.replace(PROGRAM, ideas_per_request=0)
    generator = LanguageModel(Scripted(lambda r, n: text), config, journal)
    (proposal,) = generator.propose(context(), 1)
    generator.close()
    assert len(proposal.receipt["response"]) == 16_384
    assert (tmp_path / "exchanges.jsonl").stat().st_size < 400_000


def test_a_dead_model_costs_its_programs_and_one_line() -> None:
    dead = Response("", finish="error", error="connection refused")
    generator = LanguageModel(Scripted(lambda r, n: dead), PROGRAM)
    assert generator.propose(context(), 4) == ()
    assert generator.notice == "6 of 6 requests failed: connection refused"
    before = generator.ladder.state_dict()
    generator.observe([])
    assert generator.ladder.state_dict() == before  # it says nothing about the model


@pytest.mark.parametrize("fault", [RuntimeError("boom"), SystemExit(3), None])
def test_a_back_end_that_breaks_its_promises_has_failed(fault) -> None:
    class Broken(Scripted):
        def complete(self, requests):
            if fault is not None:
                raise fault
            return super().complete(requests)[1:]

    generator = LanguageModel(Broken(good), PROGRAM)
    assert generator.propose(context(), 2) == ()
    assert "of 3 requests failed: scripted: " in generator.notice


def test_awaiting_goes_through() -> None:
    class Batch(Scripted):
        def complete(self, requests):
            raise Awaiting("bring answers")

    for patient in (False, True):
        with pytest.raises(Awaiting, match="bring answers"):
            LanguageModel(Batch(good), PROGRAM, patient=patient).propose(context(), 2)


def test_a_second_program_of_an_answer_takes_the_place_of_one_that_failed() -> None:
    def answer(request: Request, number: int) -> str:
        if request.id.startswith("r1-write-0-"):
            return fenced(variant(1)) + "\nAnd another:\n" + fenced(variant(2))
        return "no"

    config = dataclasses.replace(PROGRAM, ideas_per_request=0, repair_rounds=0)
    proposals = LanguageModel(Scripted(answer), config).propose(context(), 2)
    assert {p.source.strip() for p in proposals} == {variant(1).strip(), variant(2).strip()}
    assert [p.receipt["steps"][0]["step"] for p in proposals] == ["program", "beside"]
    # Both name the answer that holds them; each of the two answers is paid for once.
    first, second = (p.receipt for p in proposals)
    assert first["exchanges"] == second["exchanges"][1:] and len(second["exchanges"]) == 2
    paid = [(r["prompt_tokens"], r["completion_tokens"], r["seconds"]) for r in (first, second)]
    assert paid == [(10, 5, 0.5)] * 2
    alone = dataclasses.replace(config, second_programs=False)
    (proposal,) = LanguageModel(Scripted(answer), alone).propose(context(), 2)
    assert proposal.source.strip() == variant(1).strip()


def test_programs_of_the_pool_and_copies_are_not_proposed() -> None:
    texts = [SEEDS[0].source, variant(4), variant(4)]
    config = dataclasses.replace(PROGRAM, ideas_per_request=0)
    generator = LanguageModel(Scripted(lambda r, n: fenced(texts[n])), config)
    assert [p.source.strip() for p in generator.propose(context(), 3)] == [variant(4).strip()]


def test_ideas_like_earlier_ones_get_no_program() -> None:
    def answer(request: Request, number: int) -> str:
        return ideas(5) if request.kind == "ideas" else fenced(variant(number))

    model = Scripted(answer)
    generator = LanguageModel(model, PROGRAM)
    first = generator.propose(context(round=1), 4)
    had = [p.receipt["idea"]["title"] for p in first]
    assert had[:2] == ["bread bf oven", "night bf watch"]
    assert had[2:] == [p.receipt["theme"] for p in first[2:]]  # the second answer said the same
    generator.observe(outcomes(first))
    second = generator.propose(context(round=2), 2)
    assert not {p.receipt["idea"]["title"] for p in second} & set(had[:2])
    assert "bread bf oven" in model.calls[2][0].messages[-1].content  # it is told what was had


def test_edits_name_their_parent() -> None:
    config = LlmConfig(freedom="edit")
    model = Scripted(good)
    proposals = LanguageModel(model, config).propose(context(), 3)
    assert model.kinds == [["edit"] * 3]
    sources = {p.hashes.program: p.source for p in SEEDS}
    for proposal, request in zip(proposals, model.calls[0], strict=True):
        (parent,) = proposal.parents
        assert sources[parent].strip() in request.messages[-1].content
        assert proposal.operator == "edit"


_WORDS = re.compile(r"-?\d+(?:\.\d+)?|\w+|[^\w\s,]")


def test_holes_are_filled_and_the_rest_of_the_program_stays() -> None:
    model = Scripted(lambda r, n: "3")
    proposals = LanguageModel(model, LlmConfig(freedom="holes", salvage=False)).propose(
        context(), 8
    )
    assert model.kinds[0] == ["edit"] * 8
    # Where the answer does not fit another hole is tried, at most three times.
    assert 1 < len(model.calls) <= 4 and len(model.calls[1]) < 8
    assert all("hole" in r.shape for call in model.calls for r in call)
    sources = {p.hashes.program: p for p in SEEDS}
    assert proposals
    for proposal in proposals:
        parent = sources[proposal.parents[0]]
        # a shorter number may let a broken line be whole again
        old, new = (_WORDS.findall(text) for text in (parent.source, proposal.source))
        assert sum(a != b for a, b in zip(old, new, strict=True)) == 1
        assert proposal.operator == "holes"


@pytest.mark.parametrize(("success", "direction"), [(1.0, "harder"), (0.0, "easier")])
def test_a_hole_filled_outside_the_band_also_moves_the_parameters(success, direction) -> None:
    def proposed(known: float | None):
        seen = context()
        views = tuple(dataclasses.replace(view, success=known) for view in seen.pool)
        seen = dataclasses.replace(seen, pool=views)
        config = LlmConfig(freedom="holes", salvage=False)
        return LanguageModel(Scripted(lambda r, n: "3"), config).propose(seen, 8)

    def moves(proposals):
        steps = [step for p in proposals for step in p.receipt["steps"]]
        return [step["direction"] for step in steps if step["step"] == "parameters"]

    assert set(moves(proposed(success))) == {direction}
    assert moves(proposed(None)) == moves(proposed(0.5)) == []
    # The receipt names the program as it is proposed.
    for proposal in proposed(success):
        program = Program.from_source(proposal.source)
        assert proposal.receipt["program"] == program.hashes.program


def test_parameters_are_the_least_freedom() -> None:
    model = Scripted(lambda r, n: "2.5")
    proposals = LanguageModel(model, LlmConfig(freedom="parameters")).propose(context(), 4)
    for call in model.calls:
        assert all(r.shape["hole"]["low"] is not None for r in call)
    for proposal in proposals:
        program = Program.from_source(proposal.source)
        parent = next(p for p in SEEDS if p.hashes.program == proposal.parents[0])
        assert program.hashes.skeleton == parent.hashes.skeleton
        assert any(h.kind == "constant" for h in holes(parent))


def test_without_a_pool_only_whole_programs_can_be_asked_for() -> None:
    model = Scripted(good)
    proposals = LanguageModel(model, LlmConfig()).propose(context(pool=()), 3)
    assert {p.operator for p in proposals} == {"program"}


def test_a_prompt_that_cannot_fit_is_said() -> None:
    generator = LanguageModel(Scripted(good), LlmConfig(freedom="edit", prompt_budget=50))
    assert generator.propose(context(), 2) == ()
    assert "of 2 programs could not be asked for: the prompt needs" in generator.notice


def test_propose_is_a_pure_function_of_state_and_context() -> None:
    def half(request: Request, number: int) -> str:
        return "no" if int(request.id.split("-")[2]) % 2 else good(request, 3)

    first = LanguageModel(Scripted(half), LlmConfig())
    for round in (1, 2):
        proposals = first.propose(context(round=round), 6)
        first.observe(outcomes(proposals[:1], admitted=True) + outcomes(proposals[1:], ok=False))
    state = state_of(first)
    again = LanguageModel(Scripted(half), LlmConfig())
    load_state(again, state)
    assert state_of(again) == state
    a, b = first.propose(context(round=3), 6), again.propose(context(round=3), 6)
    assert a and [to_json(p) for p in a] == [to_json(p) for p in b]
    assert state_of(first) == state_of(again)


def test_a_journal_answers_instead_of_the_model(tmp_path) -> None:
    path = tmp_path / "exchanges.jsonl"

    def run(answer) -> tuple[list, Scripted]:
        model = Scripted(answer)
        generator = LanguageModel(model, LlmConfig(), Exchanges(path))
        found = []
        for round in (1, 2):
            found += generator.propose(context(round=round), 6)
            generator.observe(outcomes(found[-3:], ok=False))
        generator.close()
        return [to_json(p) for p in found], model

    def sometimes(request: Request, number: int) -> str | Response:
        if number % 3 == 1:
            return Response("", finish="error", error="time out")
        return "def broken(" if number % 3 == 2 else good(request, number)

    first, asked = run(sometimes)
    assert first and asked.closed == 1
    again, idle = run(good)
    assert again == first and idle.calls == []
    keys = {r.key for call in asked.calls for r in call}
    known = read_exchanges(path)
    assert {key for _, key in known} == keys
    assert {r.finish for r in known.values()} == {"stop", "error"}


def test_failures_are_shown_in_later_prompts_and_move_the_ladder() -> None:
    model = Scripted(lambda r, n: ideas(n) if r.kind == "ideas" else fenced(BROKEN))
    config = dataclasses.replace(
        PROGRAM, repair_rounds=0, salvage=False, prompt_budget=20_000, freedom="auto"
    )
    generator = LanguageModel(model, config)
    assert generator.ladder.place == "edit"
    for round, place in ((1, "holes"), (2, "parameters")):
        assert generator.propose(context(round=round), 8) == ()
        generator.observe([])
        assert generator.ladder.place == place and generator.ladder.moves[-1].round == round
    assert "E202" in [f.error[:4] for f in generator.failures]
    generator.ladder.rung = "program"
    generator.propose(context(round=3), 1)
    assert "s.nothing = 1" in model.calls[-1][0].messages[-1].content


def test_what_was_not_probed_is_no_failure_of_the_model() -> None:
    config = dataclasses.replace(PROGRAM, ideas_per_request=0, freedom="auto")
    generator = LanguageModel(Scripted(good), config)
    for round in (1, 2, 3):
        proposals = generator.propose(context(round=round), 6)
        assert proposals
        verdict = Verdict("", False, Reason.NOT_PROBED, error="not probed: 0.1 expected")
        left_out = [Outcome(p, verdict, False, Reason.NOT_PROBED.value) for p in proposals]
        generator.observe(left_out)
    assert generator.ladder.place == "edit" and generator.ladder.counts == {}
    assert generator.bandit.state_dict() == {}
    assert generator.failures == ()
    assert generator.children  # whose parents they are is known all the same


def test_screening_lets_awaiting_through(tmp_path) -> None:
    class Batch(Scripted):
        def complete(self, requests):
            raise Awaiting("bring answers")

    generator = LanguageModel(Batch(good), PROGRAM, patient=True)
    screening = Screening(generator, None, VerdictJournal(tmp_path / "verdicts.jsonl"))
    started = screening.start(context(), 2, (), tmp_path / "policy.npz", Known())
    with pytest.raises(Awaiting, match="bring answers") as caught:
        started.result(60)
    assert caught.value.exit_code == 75
    screening.close()


def test_a_recorded_run_proposes_the_same(tmp_path, monkeypatch) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    run.mkdir()
    again.mkdir()
    made: list[Scripted] = []

    def make(what: str, config: LlmConfig) -> Scripted:
        made.append(Scripted(good if what == "a" else lambda r, n: "no"))
        return made[-1]

    monkeypatch.setitem(backends._KINDS, "scripted", (make, "scripted:x"))
    spec = "none+llm:scripted:a+llm:scripted:b"
    first = make_generator(spec, PROGRAM, run)
    proposals = first.propose(context(), 6)
    close(first)
    assert {p.generator for p in proposals} == {"llm:scripted:a"}
    assert [m.closed for m in made] == [1, 1]
    second = make_generator(f"recorded:{run}", PROGRAM, again)
    assert [to_json(p) for p in second.propose(context(), 6)] == [to_json(p) for p in proposals]
    assert len(made) == 2
    # With other settings other things are asked, which nobody has answered.
    third = make_generator(f"recorded:{run}", dataclasses.replace(PROGRAM, temperature=0.1))
    assert third.propose(context(), 6) == ()
    assert "the record has no answer" in third.notice
    close(second)
    assert make_generator(f"recorded:{again}", PROGRAM).name == first.name
