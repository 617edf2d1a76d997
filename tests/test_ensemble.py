"""An ensemble asks its sources by what they earned; one that fails costs nothing but itself."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from scripted_model import views

from spade_jax.generator.bandit import Bandit, choices_of, reward
from spade_jax.generator.corpus import Corpus
from spade_jax.generator.ensemble import Ensemble
from spade_jax.generator.evolve import Evolve
from spade_jax.records import VerdictJournal
from spade_jax.screening import Known, Screening
from spade_jax.types import Context, Outcome, Proposal, Reason, Verdict


class Source:
    """Answers every request with texts that tell the source, the seed and their number."""

    def __init__(self, name: str, at_most: int = 99) -> None:
        self.name = name
        self.at_most = at_most
        self.told: list[str] = []
        self.closed = False

    def propose(self, context: Context, n: int) -> Sequence[Proposal]:
        return [
            Proposal("", f"{self.name} {context.seed} {i}", self.name, "made")
            for i in range(min(n, self.at_most))
        ]

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        self.told += [o.proposal.source for o in outcomes]

    def state_dict(self) -> dict[str, Any]:
        return {"told": list(self.told)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.told = list(state["told"])

    def close(self) -> None:
        self.closed = True


class Dead(Source):
    def propose(self, context: Context, n: int) -> Sequence[Proposal]:
        raise ConnectionError("no answer\nfrom the server")


class Forgetful(Source):
    def observe(self, outcomes: Sequence[Outcome]) -> None:
        raise KeyError("whose?")


class Endless(Source):
    def propose(self, context: Context, n: int) -> Any:
        while True:
            yield None


def context(round: int = 1, seed: int = 0) -> Context:
    return Context(round, seed, (), ())


def outcome(proposal: Proposal, **values: Any) -> Outcome:
    admitted = values.pop("admitted", False)
    novelty = values.pop("novelty", None)
    verdict = Verdict(proposal.id, values.pop("ok", True), Reason.OK, **values)
    return Outcome(proposal, verdict, admitted, "", novelty=novelty)


def by(proposals: Sequence[Proposal]) -> Counter[str]:
    return Counter(p.generator for p in proposals)


def test_the_reward_is_a_gate_times_learnability_and_novelty() -> None:
    proposal = Proposal("r1-0", "", "a", "b")
    half = {"successes": 64, "episodes": 128}
    assert reward(outcome(proposal, admitted=True, novelty=0.6, **half)) == pytest.approx(0.8)
    assert reward(outcome(proposal, novelty=0.6, **half)) == pytest.approx(0.2)
    # 4 · 0.25 · 0.75 = 0.75, nothing known of novelty
    assert reward(outcome(proposal, admitted=True, successes=32, episodes=128)) == 0.375
    assert reward(outcome(proposal, successes=128, episodes=128)) == 0.0
    assert reward(outcome(proposal, ok=False, **half, novelty=1.0)) == 0.0


def test_a_bandit_learns_each_kind_of_choice_by_itself() -> None:
    bandit = Bandit(fade=0.5)
    for _ in range(6):
        bandit.learn(
            [
                ({"theme": ("food",), "few_shot": ("near",)}, 1.0),
                ({"theme": ("sport",), "few_shot": ("near",)}, 0.0),
            ]
        )
    # 1 + ½ + ¼ + … of six rounds
    assert bandit.state_dict()["theme"] == {"food": [1.96875, 0.0], "sport": [0.0, 1.96875]}
    assert bandit.state_dict()["few_shot"] == {"near": [1.96875, 1.96875]}
    rng = np.random.default_rng(0)
    chosen = Counter(bandit.choose("theme", ("sport", "food"), rng) for _ in range(400))
    assert chosen["food"] > 2 * chosen["sport"] > 40
    assert bandit.choose("never met", ("only",), rng) == "only"
    other = Bandit()
    other.load_state_dict(json.loads(json.dumps(bandit.state_dict())))
    assert other.state_dict() == bandit.state_dict()


def test_only_names_count_as_choices() -> None:
    receipt = {"choices": {"theme": "food", "operator": ["a", "b"], "x": 3, "y": [1], "z": []}}
    assert choices_of(receipt) == {"theme": ("food",), "operator": ("a", "b")}
    assert choices_of({"choices": ["theme"]}) == choices_of({}) == {}


def test_all_that_is_asked_for_is_given_and_numbered_through() -> None:
    ensemble = Ensemble([Source("a"), Source("b")])
    assert ensemble.name == "a+b"
    proposals = ensemble.propose(context(3), 20)
    assert [p.id for p in proposals] == [f"r3-{i}" for i in range(20)]
    assert len({p.source for p in proposals}) == 20
    assert set(by(proposals)) == {"a", "b"}
    assert ensemble.notice == ""
    for p in proposals:
        assert p.receipt["choices"] == {"source": [p.generator]}
        assert p.receipt["ensemble"]["given"] == dict(by(proposals))
        json.dumps(p.receipt)
    before = ensemble.state_dict()
    assert ensemble.propose(context(3), 20) == proposals and ensemble.state_dict() == before
    assert ensemble.propose(context(3, seed=1), 20) != proposals


def test_a_source_need_not_wait_for_another() -> None:
    both = threading.Barrier(2)

    class Meets(Source):
        def propose(self, context: Context, n: int) -> Sequence[Proposal]:
            both.wait(30)  # raises where it is alone
            return super().propose(context, n)

    proposals = (ensemble := Ensemble([Meets("a"), Meets("b")])).propose(context(), 20)
    assert set(by(proposals)) == {"a", "b"} and ensemble.notice == ""


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_others_make_up_for_a_dead_source(order: tuple[int, int]) -> None:
    sources = [Source("a"), Dead("b")]
    ensemble = Ensemble([sources[i] for i in order])
    proposals = ensemble.propose(context(), 12)
    assert by(proposals) == {"a": 12}
    assert len({p.source for p in proposals}) == 12
    asked = proposals[0].receipt["ensemble"]["asked"]["b"]
    assert ensemble.notice == f"b gave 0 of {asked} programs (ConnectionError: no answer)"


def test_what_a_source_is_short_of_comes_from_the_others() -> None:
    ensemble = Ensemble([Source("a", at_most=2), Source("b"), Endless("c")])
    proposals = ensemble.propose(context(), 15)
    assert len(proposals) == 15 and by(proposals)["a"] <= 2
    assert "what else it gave are no proposals" in ensemble.notice
    nothing = Ensemble([Dead("a"), Source("b", at_most=0)])
    assert nothing.propose(context(), 5) == ()
    assert "a gave 0 of" in nothing.notice and "b gave 0 of" in nothing.notice
    assert nothing.propose(context(), 0) == () and nothing.notice == ""


class Forgets(Source):
    """Gives the same texts whenever it is asked."""

    def propose(self, context: Context, n: int) -> Sequence[Proposal]:
        return [Proposal("", f"{self.name} {i}", self.name, "made") for i in range(n)]


def test_no_text_is_proposed_twice_in_a_round() -> None:
    given = Ensemble([Forgets("a"), Source("b", at_most=1)]).propose(context(), 12)
    b = given[0].receipt["ensemble"]["asked"]["b"]
    # "a" was asked for 12 − b, then for b − 1 that "b" did not give: the same texts again.
    assert by(given) == {"a": max(12 - b, b - 1), "b": 1}
    twins = Ensemble([Forgets("a"), Forgets("a")])
    proposals = twins.propose(context(), 12)
    assert len({p.source for p in proposals}) == len(proposals) >= 6
    assert "were there already)" in twins.notice


def test_a_source_that_is_asked_again_brings_other_programs() -> None:
    for round in range(1, 5):
        ensemble = Ensemble([Corpus(), Source("b", at_most=1)])
        proposals = ensemble.propose(context(round, round), 12)
        assert len({p.source for p in proposals}) == len(proposals) == 12
        assert "corpus" not in ensemble.notice  # nothing that it gave was there already


def test_evolution_that_is_asked_again_brings_other_structures() -> None:
    told = Context(1, 0, views(), ())
    first = Evolve().propose(told, 3)
    again = Evolve().propose(dataclasses.replace(told, proposed=first), 3)
    assert len({p.receipt["program"] for p in (*first, *again)}) == 6
    new = [p.receipt["skeleton"] for p in (*first, *again) if p.receipt["new_skeleton"]]
    assert len(set(new)) == len(new) > 3


def test_what_is_asked_in_vain_is_worth_nothing() -> None:
    ensemble = Ensemble([Source("a"), Dead("b")])
    proposals = ensemble.propose(context(), 12)
    asked = proposals[0].receipt["ensemble"]["asked"]
    ensemble.observe([outcome(p, ok=False) for p in proposals])
    assert ensemble.state_dict()["bandit"] == {
        "source": {"a": [0.0, 12.0], "b": [0.0, float(asked["b"])]}
    }
    assert asked["b"] > 0


def test_what_was_not_probed_says_nothing_of_who_made_it() -> None:
    def left_out(proposal: Proposal) -> Outcome:
        verdict = Verdict(proposal.id, False, Reason.NOT_PROBED, error="not probed")
        return Outcome(proposal, verdict, False, "not_probed")

    ensemble = Ensemble([Source("a"), Dead("b")])
    proposals = ensemble.propose(context(), 12)
    asked = proposals[0].receipt["ensemble"]["asked"]
    half = [outcome(p, ok=False) for p in proposals[:4]]
    ensemble.observe([*half, *map(left_out, proposals[4:])])
    learned = {"source": {"a": [0.0, 4.0], "b": [0.0, float(asked["b"])]}}
    assert ensemble.state_dict()["bandit"] == learned  # what was asked in vain still counts
    ensemble = Ensemble([Source("a"), Dead("b")])
    ensemble.observe([left_out(p) for p in proposals])
    assert ensemble.state_dict()["bandit"] == {"source": {"b": [0.0, float(asked["b"])]}}

    evolve = Evolve()
    evolve.observe([left_out(p) for p in evolve.propose(Context(1, 0, views(), ()), 2)])
    assert evolve.state_dict()["operators"] == {} and len(evolve.state_dict()["proposed"]) == 2

    bandit = Bandit()
    chosen = Proposal("", "", "a", "b", receipt={"choices": {"theme": ["food"]}})
    bandit.observe([outcome(chosen, ok=False), left_out(chosen)])
    assert bandit.state_dict() == {"theme": {"food": [0.0, 1.0]}}


def test_it_asks_more_of_the_source_that_pays_and_less_of_a_dead_one() -> None:
    ensemble = Ensemble([Source("good"), Source("bad"), Dead("dead")])
    for round in range(1, 9):
        ensemble.observe(
            [
                outcome(p, admitted=True, successes=64, episodes=128, novelty=0.9)
                if p.generator == "good"
                else outcome(p, ok=False)
                for p in ensemble.propose(context(round), 12)
            ]
        )
    last = ensemble.propose(context(9), 60)
    asked = last[0].receipt["ensemble"]["asked"]
    assert asked["good"] > 40 > 16 > asked["bad"] > 0
    assert 0 < asked["dead"] < 16


class Unwilling:
    """Stands for workers: refuses whatever it is given."""

    def submit(self, request: Any) -> Future[Verdict]:
        done: Future[Verdict] = Future()
        done.set_result(Verdict(request.id, False, Reason.SYNTAX))
        return done


def test_a_round_says_in_one_line_that_a_source_is_dead(tmp_path: pathlib.Path) -> None:
    journal = VerdictJournal(tmp_path / "verdicts.jsonl")
    screening = Screening(Ensemble([Source("a"), Dead("b")]), Unwilling(), journal)  # type: ignore[arg-type]
    found = screening.start(context(), 8, (), tmp_path / "policy.npz", Known()).result(60)
    screening.close()
    journal.close()
    assert [p.generator for p in found.proposals] == ["a"] * 8 and len(found.verdicts) == 8
    asked = found.proposals[0].receipt["ensemble"]["asked"]["b"]
    said = f"b gave 0 of {asked} programs (ConnectionError: no answer)"
    assert found.warning == f"generator a+b: {said}"


def test_what_is_said_beside_the_run_is_told_apart(tmp_path: pathlib.Path) -> None:
    source = Source("a")
    source.aside = "tuning 01 failed:\nno memory"  # type: ignore[attr-defined]
    journal = VerdictJournal(tmp_path / "verdicts.jsonl")
    screening = Screening(Ensemble([source, Source("b")]), Unwilling(), journal)  # type: ignore[arg-type]
    found = screening.start(context(), 4, (), tmp_path / "policy.npz", Known()).result(60)
    screening.close()
    journal.close()
    assert found.warning == "" and found.aside == "a: tuning 01 failed: no memory"


def test_no_source_takes_the_label_of_another() -> None:
    ensemble = Ensemble([Source("a"), Source("a"), Source("a#2")])
    assert list(ensemble.sources) == ["a", "a#2", "a#2#2"]


def test_each_source_is_told_of_its_own_proposals() -> None:
    sources = [Source("a"), Forgetful("f"), Source("a")]
    ensemble = Ensemble(sources)
    proposals = ensemble.propose(context(), 18)
    stranger = Proposal("r0-0", "stranger", "a", "b")
    ensemble.observe([outcome(p) for p in (*proposals, stranger)])
    labels = {p.source: p.receipt["ensemble"]["source"] for p in proposals}
    assert set(labels.values()) == {"a", "f", "a#2"}
    for source, label in ((sources[0], "a"), (sources[2], "a#2")):
        assert source.told == [text for text, whose in labels.items() if whose == label]
    ensemble.propose(context(2), 3)
    assert ensemble.notice == "f did not take its outcomes (KeyError: 'whose?')"


def test_its_state_holds_that_of_its_sources() -> None:
    ensemble = Ensemble([Source("a"), Source("b")])
    ensemble.observe([outcome(p, admitted=True) for p in ensemble.propose(context(), 9)])
    state = json.loads(json.dumps(ensemble.state_dict()))
    sources = [Source("a"), Source("b")]
    restored = Ensemble(sources)
    restored.load_state_dict(state)
    assert restored.state_dict() == ensemble.state_dict()
    assert len(sources[0].told) + len(sources[1].told) == 9
    assert restored.propose(context(2), 9) == ensemble.propose(context(2), 9)
    restored.close()
    assert sources[0].closed and sources[1].closed
    with pytest.raises(ValueError, match="at least one"):
        Ensemble([])
