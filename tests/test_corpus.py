"""The bundled collection of written programs, and the generator that proposes from it."""

from __future__ import annotations

import collections
import dataclasses
import json
import math
import re

import numpy as np
import pytest

from envs_dsl import check, library
from envs_dsl.behaviour import FEATURES, behaviour
from envs_dsl.language.vocabulary import SKILLS
from spade_jax.curator import CuratorConfig, heldout
from spade_jax.generator import load_state, state_of
from spade_jax.generator.corpus import (
    Corpus,
    Entry,
    at_difficulty,
    entries,
    entry_of,
    read_receipts,
    rejected,
)
from spade_jax.generator.corpus.collection import CorpusError
from spade_jax.types import Context, Outcome, PoolView, Reason, SkillEstimate, Verdict

# --- the collection -------------------------------------------------------------------------------


def test_it_is_large_and_covers_skills_and_themes() -> None:
    assert len(entries()) >= 120
    assert len({e.theme for e in entries()}) >= 60
    counts = collections.Counter(skill for e in entries() for skill in e.skills)
    assert all(counts[skill] >= 5 for skill in SKILLS), counts
    assert [e.name for e in entries()] == sorted(e.name for e in entries())


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e.name)
def test_a_program_checks_and_is_the_one_its_receipt_is_for(entry: Entry) -> None:
    found = check(entry.source, entry.name)
    assert found.program is not None, found.diagnostics
    assert found.program.hashes.program == entry.program_hash
    assert found.program.hashes.skeleton == entry.skeleton_hash
    assert any(p.harder for p in found.program.params)
    assert len(found.program.doc) >= 30
    assert re.fullmatch(r"[a-z][a-z0-9_]*", entry.name)
    assert set(entry.skills) <= set(SKILLS) and entry.skills
    assert len(entry.features) == len(FEATURES)


def test_every_receipt_says_who_wrote_it_and_what_was_asked() -> None:
    for entry in entries():
        receipt = entry.receipt
        assert receipt["model"]
        assert receipt["prompt"]["hash"] and receipt["prompt"]["version"]
        assert receipt["answer"]["sha256"]
        assert 1 <= len(receipt["attempts"]) <= 4
        assert receipt["attempts"][-1]["reason"] == "ok"


def test_no_two_programs_are_variants_of_one_another_or_of_what_is_bundled() -> None:
    skeletons = [e.skeleton_hash for e in entries()]
    behaviours = [e.behaviour_hash for e in entries()]
    assert len(set(skeletons)) == len(skeletons)
    assert len(set(behaviours)) == len(behaviours)
    bundled = [p for load in (library.seeds, library.games, library.ports) for p in load()]
    assert not set(skeletons) & {p.hashes.skeleton for p in bundled}
    assert not {e.name for e in entries()} & set(library.bundled())


def test_by_their_descriptors_all_are_apart() -> None:
    points = np.asarray([e.features for e in entries()])
    for i in range(1, len(points)):
        gaps = np.sqrt(np.mean((points[:i] - points[i]) ** 2, axis=1))
        assert gaps.min() >= CuratorConfig().min_distance, entries()[i].name


def test_none_is_won_by_standing_still_or_at_random() -> None:
    for entry in entries():
        rates = entry.receipt["triviality"]
        assert rates["random"] <= 0.6, entry.name
        assert entry.receipt["certificate"]["answer"] in ("solvable", "unknown"), entry.name


def test_what_was_rejected_is_kept_with_the_reason() -> None:
    assert rejected()
    for text, receipt in rejected():
        assert text.strip()
        assert receipt["reason"] in {r.value for r in Reason} - {"ok"}
        assert receipt["error"]


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries(), ids=lambda e: e.name)
def test_behaviour_is_as_recorded(entry: Entry) -> None:
    program = check(entry.source, entry.name).program
    assert program is not None
    found = behaviour(program)
    assert found.hash == entry.behaviour_hash
    assert np.allclose(found.features, entry.features, atol=1e-3)
    assert found.hash not in heldout.identities()


@pytest.mark.slow
def test_no_bundled_program_behaves_like_one_of_the_collection() -> None:
    mine = {e.behaviour_hash: e.name for e in entries()}
    for program in (p for load in (library.seeds, library.games, library.ports) for p in load()):
        assert behaviour(program).hash not in mine, program.name


# --- reading --------------------------------------------------------------------------------------


def _receipt(name="a", **changes):
    base = {
        "name": name,
        "theme": "t",
        "skills": ["navigation"],
        "program": f"p{name}",
        "skeleton": f"s{name}",
        "behaviour": f"b{name}",
        "features": [0.5, 0.5],
        "probe": {"success": 0.5, "episodes": 256},
        "model": "m",
        "prompt": {"version": "1", "hash": "h"},
    }
    return base | changes


def test_damaged_receipts_are_named(tmp_path) -> None:
    file = tmp_path / "receipts.jsonl"
    assert read_receipts(file) == {}
    for text, what in (
        ("nonsense\n", "line 1: not JSON"),
        ('{"name": "a"}\n[]\n', "line 2: no receipt"),
        ('{"name": "a"}\n{"name": "a"}\n', "second receipt for 'a'"),
    ):
        file.write_text(text)
        with pytest.raises(CorpusError, match=what):
            read_receipts(file)
    with pytest.raises(CorpusError, match="'a': KeyError: 'theme'"):
        entry_of("", {"name": "a"})


# --- the generator --------------------------------------------------------------------------------


def _entry(name, success=0.5, skills=("navigation",), features=(0.5, 0.5), others=None):
    probe = {"success": success, "episodes": 256, "others": others or {}}
    given = _receipt(name, skills=list(skills), features=list(features), probe=probe)
    return entry_of(f"text of {name}", given)


def _context(round=1, seed=0, pool=(), profile=()):
    return Context(round, seed, tuple(pool), tuple(profile))


def _outcome(proposal, successes=128, episodes=256):
    verdict = Verdict(proposal.id, True, Reason.OK, successes=successes, episodes=episodes)
    return Outcome(proposal, verdict, False, "too_easy")


def _names(proposals):
    return [p.receipt["name"] for p in proposals]


def test_nothing_is_proposed_twice_and_it_ends_with_the_collection() -> None:
    generator = Corpus([_entry(f"e{i}", features=(i / 10, 0.0)) for i in range(10)])
    seen = []
    for round in range(1, 5):
        proposals = generator.propose(_context(round), 4)
        seen += _names(proposals)
        generator.observe([_outcome(p) for p in proposals])
    assert sorted(seen) == sorted(f"e{i}" for i in range(10))
    assert generator.propose(_context(9), 4) == ()


def test_what_the_pool_has_is_not_proposed() -> None:
    entry = _entry("a")
    assert Corpus([entry]).propose(_context(pool=[entry.view()]), 4) == ()
    assert Corpus([]).propose(_context(), 4) == ()


def test_the_same_state_and_context_give_the_same_proposals() -> None:
    collection = [_entry(f"e{i}", features=(i / 30, 0.0)) for i in range(30)]
    one, other = Corpus(collection), Corpus(collection)
    assert one.propose(_context(), 6) == one.propose(_context(), 6)
    one.observe([_outcome(p) for p in one.propose(_context(), 6)])
    load_state(other, json.loads(json.dumps(state_of(one))))
    assert other.propose(_context(2), 6) == one.propose(_context(2), 6)
    assert _names(one.propose(_context(2, seed=1), 6)) != _names(one.propose(_context(2), 6))


def _shares(collection, context, n=1, draws=200):
    """How often each is among the first ``n`` proposed, over many seeds."""
    counts = collections.Counter()
    for seed in range(draws):
        generator = Corpus(collection)
        counts.update(_names(generator.propose(dataclasses.replace(context, seed=seed), n)))
    return {name: count / draws for name, count in counts.items()}


def test_it_aims_at_the_target() -> None:
    collection = [_entry("hopeless", 0.0), _entry("apt", 0.5), _entry("mastered", 1.0)]
    shares = _shares(collection, _context())
    assert shares["apt"] > 0.9


def test_it_aims_at_weak_skills() -> None:
    collection = [_entry("known", skills=("navigation",)), _entry("weak", skills=("memory",))]
    profile = [
        SkillEstimate("navigation", 1.0, 0.9, 1.0, 3, 500),
        SkillEstimate("memory", 0.0, 0.0, 0.1, 3, 500),
    ]
    shares = _shares(collection, _context(profile=profile))
    assert shares["weak"] > 0.8


def test_it_prefers_what_is_unlike_the_pool_and_the_batch() -> None:
    collection = [
        _entry("near", features=(0.1, 0.0)),
        _entry("far", features=(1.0, 1.0)),
        _entry("twin", features=(1.0, 0.99)),
    ]
    pool = [PoolView("q", "b", "", "q", (), 0.5, (0.0, 0.0), True)]
    first = _shares(collection, _context(pool=pool))
    assert first.get("near", 0.0) < 0.2
    second = collections.Counter(
        _names(Corpus(collection).propose(_context(pool=pool, seed=seed), 2))[1]
        for seed in range(200)
    )
    assert second["near"] > 80  # the twin of the one picked has become crowded


def test_expected_success_follows_the_learner() -> None:
    hard, easy = _entry("hard", 0.1), _entry("easy", 0.5)
    generator = Corpus([hard, easy])
    assert generator.expected(hard) == pytest.approx(0.1)
    for round in range(1, 9):  # always better than the receipt says: 0.9 where it says 0.5
        proposal = next(
            p
            for seed in range(50)
            for p in Corpus([hard, easy]).propose(_context(round, seed), 2)
            if p.receipt["name"] == "easy"
        )
        generator.observe([_outcome(proposal, successes=230)])
    assert 0.35 < generator.expected(hard) < 0.6
    assert generator.expected(easy) > 0.8


def test_a_program_is_proposed_at_the_difficulty_that_suits() -> None:
    source = library.find("hail").source  # RATE = Param(0.025, 0.0, 0.2), NEED = Param(2, 1, 5)
    others = {
        "0": {"reason": "noop_wins", "success": None},
        "0.25": {"reason": "ok", "success": 0.55},
        "1": {"reason": "ok", "success": 0.0},
    }
    entry = dataclasses.replace(_entry("a", 0.1, others=others), source=source)
    assert entry.rates == ((0.25, 0.55), (0.5, 0.1), (1.0, 0.0))
    generator = Corpus([entry])
    proposal = generator.propose(_context(), 1)[0]
    assert proposal.receipt["difficulty"] == 0.25
    assert proposal.receipt["expected"] == pytest.approx(0.55, abs=1e-3)
    assert proposal.source == at_difficulty(source, 0.25) != source
    generator.observe([_outcome(proposal, 141)])  # as expected there: nothing is learned
    assert abs(state_of(generator)["gap"]) < 0.02
    assert generator.propose(_context(2), 1) == ()  # at no other difficulty either


def test_a_difficulty_is_written_into_the_text() -> None:
    source = library.find("hail").source
    easy, hard = (check(at_difficulty(source, d)).program for d in (0.0, 1.0))
    assert easy is not None and hard is not None
    assert [p.value for p in easy.params] == pytest.approx([0.0, 1])
    assert [p.value for p in hard.params] == pytest.approx([0.2, 5])
    assert easy.hashes.skeleton == hard.hashes.skeleton
    assert at_difficulty(source, 0.5) == source


def test_foreign_and_unmeasured_outcomes_teach_nothing() -> None:
    generator = Corpus([_entry("a"), _entry("b")])
    proposal = generator.propose(_context(), 1)[0]
    foreign = dataclasses.replace(proposal, generator="evolve")
    generator.observe([_outcome(foreign)])
    assert state_of(generator)["given"] == []
    generator.observe([_outcome(proposal, 0, 0)])
    state = state_of(generator)
    assert len(state["given"]) == 1 and state["weight"] == 0.0
    assert math.isclose(generator.expected(_entry("b")), 0.5)


def test_proposals_of_the_bundled_collection_carry_their_receipt() -> None:
    proposals = Corpus().propose(_context(), 5)
    assert len(proposals) == 5
    for proposal in proposals:
        assert check(proposal.source).ok
        assert {"name", "theme", "model", "prompt"} <= set(proposal.receipt)
        json.dumps(dict(proposal.receipt))
