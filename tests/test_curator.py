"""Posteriors, gates and ranks: what gets in, and what must not."""

import dataclasses
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from spade_jax.curator import CuratorConfig, posterior
from spade_jax.curator.admission import Candidate, select
from spade_jax.curator.pool import Pool, start
from spade_jax.curator.posterior import Posterior
from spade_jax.curator.score import Identities, Neighbourhood, difficulty, gates, score
from spade_jax.types import PoolEntry, PoolEventKind, Proposal, Reason, Verdict

CONFIG = CuratorConfig()
COUNTS = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# ---- posterior ----------------------------------------------------------------------------------


@settings(deadline=None)
@given(COUNTS, st.floats(0, 1), st.floats(0, 1))
def test_posterior_is_scipys_beta(counts, a, b):
    s, n = counts
    low, high = sorted((a, b))
    reference = scipy.stats.beta(1 + s, 1 + n - s)
    found = Posterior(s, n)
    assert found.mean == pytest.approx(reference.mean())
    assert found.interval == pytest.approx(reference.interval(0.95), abs=1e-9)
    assert found.mass(low, high) == pytest.approx(
        reference.cdf(high) - reference.cdf(low), abs=1e-9
    )


def test_posterior_by_hand():
    # One success of one: density 2p, mean 2/3, mass of [0, 1/2] a quarter.
    assert Posterior(1, 1).mean == pytest.approx(2 / 3)
    assert Posterior(1, 1).mass(0, 0.5) == pytest.approx(0.25)
    assert Posterior(0, 0).interval == pytest.approx((0.025, 0.975))


def test_posterior_is_vectorised_and_checks_counts():
    found = posterior.mean(np.array([[0, 1], [2, 3]]), 3)
    assert found == pytest.approx(np.array([[1, 2], [3, 4]]) / 5)
    low, high = posterior.interval([0, 128], [256, 256])
    assert low.shape == (2,) and (low < high).all()
    with pytest.raises(ValueError, match="between 0 and episodes"):
        posterior.mean(4, 3)


def test_few_episodes_do_not_pass_for_many():
    # A true 0.8 shows 0.3 to 0.7 in about one of five tries with 8 episodes; never with 256.
    few = scipy.stats.binom(8, 0.8)
    lucky = sum(few.pmf(s) for s in range(9) if 0.3 <= s / 8 <= 0.7)
    assert 0.15 < lucky < 0.25
    many = scipy.stats.binom(256, 0.8)
    passed = sum(
        many.pmf(s) for s in range(257) if gates(_verdict("x"), Posterior(s, 256), CONFIG) is None
    )
    assert passed < 1e-4


def test_evaluation_record():
    found = posterior.evaluation("abc", 7, 128, 256, 5000, 0.25, 20.0)
    assert (found.mean, found.successes, found.env_steps) == (0.5, 128, 5000)
    assert found.low < 0.5 < found.high


# ---- gates --------------------------------------------------------------------------------------


def _verdict(name="a", *, p=0.5, episodes=256, features=(0.0, 0.0), **changes):
    fields = {
        "proposal_id": f"id-{name}",
        "ok": True,
        "reason": Reason.OK,
        "program_hash": f"program-{name}",
        "skeleton_hash": f"skeleton-{name}",
        "behaviour_hash": f"behaviour-{name}",
        "features": features,
        "stability": 1.0,
        "successes": round(p * episodes),
        "episodes": episodes,
    }
    return Verdict(**fields | changes)


@pytest.mark.parametrize(
    ("p", "reason"),
    [
        (0.5, None),
        (0.36, None),
        (0.64, None),
        (0.0, Reason.TOO_HARD),
        (0.29, Reason.TOO_HARD),
        (0.305, Reason.UNCERTAIN),
        (0.695, Reason.UNCERTAIN),
        (0.72, Reason.TOO_EASY),
        (1.0, Reason.TOO_EASY),
    ],
)
def test_band_gate(p, reason):
    assert gates(_verdict(), Posterior(round(p * 256), 256), CONFIG) is reason


def test_gates_in_order():
    known = Identities(
        programs=frozenset({"program-a"}),
        behaviours=frozenset({"behaviour-b"}),
        heldout=frozenset({"behaviour-c", "skeleton-d"}),
    )
    fine = Posterior(128, 256)

    def gate(verdict, counts=fine):
        return gates(verdict, counts, CONFIG, known)

    assert gate(_verdict("new")) is None
    assert gate(_verdict("a", ok=False, reason=Reason.NOOP_WINS)) is Reason.NOOP_WINS
    assert gate(_verdict("a")) is Reason.DUPLICATE
    assert gate(_verdict("b")) is Reason.SAME_BEHAVIOUR
    assert gate(_verdict("c")) is Reason.HELD_OUT
    assert gate(_verdict("d")) is Reason.HELD_OUT
    assert gate(_verdict("new"), Posterior(0, 0)) is Reason.UNCERTAIN
    assert gate(_verdict("new"), Posterior(8, 16)) is Reason.UNCERTAIN


# ---- score --------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.3, 0.7), st.sampled_from(["learnability", "plateau"]))
def test_difficulty_peaks_at_the_target_and_is_nothing_at_the_ends(p, target, shape):
    config = CuratorConfig(target=target, shape=shape)
    found = difficulty(p, config)
    assert 0.0 <= found <= 1.0 + 1e-12
    assert difficulty(target, config) == pytest.approx(1.0) and found <= 1.0 + 1e-12
    assert difficulty(0.0, config) == difficulty(1.0, config) == 0.0
    assert difficulty(p / 2 if p < target else (1 + p) / 2, config) <= found + 1e-9


def test_difficulty_at_the_default_target_is_learnability():
    assert difficulty(0.25, CONFIG) == pytest.approx(4 * 0.25 * 0.75)
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        difficulty(math.nan, CONFIG)


POOL = Neighbourhood([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], [{"memory"}, {"puzzle"}, {"puzzle"}])


@settings(deadline=None)
@given(st.floats(0, 50), st.floats(0, 50))
def test_diversity_grows_with_distance(a, b):
    near, far = sorted((a, b))
    config = CuratorConfig(neighbours=1)
    left = score(0.5, (-near, -near), ("puzzle",), 1.0, POOL, config)
    right = score(0.5, (-far, -far), ("puzzle",), 1.0, POOL, config)
    assert left.diversity <= right.diversity <= 1.0


def test_a_sparse_skill_counts_for_more():
    def diversity(*skills):
        return score(0.5, (5.0, 5.0), skills, 1.0, POOL, CONFIG).diversity

    assert diversity("avoidance") > diversity("memory") > diversity("puzzle")
    assert diversity("memory", "puzzle") == diversity("memory")


def test_score_is_the_weighted_sum():
    found = score(0.25, (3.0, 3.0), ("puzzle",), 0.5, POOL, CONFIG)
    assert found.total == pytest.approx(0.5 * 0.75 + 0.3 * found.diversity + 0.2 * 0.5)
    alone = score(0.5, (3.0, 3.0), ("puzzle",), 1.0, Neighbourhood([], []), CONFIG)
    assert alone.total == pytest.approx(1.0)
    assert alone.evidence()["nearest"] is None


def test_descriptors_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="different lengths"):
        Neighbourhood([(0.0,), (1.0, 2.0)], [(), ()])


# ---- admission ----------------------------------------------------------------------------------


def _seed(name, features, skills=("navigation",)):
    return PoolEntry(
        program_hash=f"program-{name}",
        skeleton_hash=f"skeleton-{name}",
        behaviour_hash=f"behaviour-{name}",
        source=f"source {name}",
        name=name,
        generator="seeds",
        operator="seed",
        parents=(),
        round_admitted=0,
        skills=skills,
        features=features,
        stability=1.0,
    )


def _pool():
    return start([_seed("s0", (0.0, 0.0)), _seed("s1", (1.0, 0.0)), _seed("s2", (0.0, 1.0))])[0]


def _candidate(name, **changes):
    verdict = _verdict(name, **changes)
    proposal = Proposal(
        verdict.proposal_id, f"source {name}", "evolve", "graft", ("program-s0",), 1
    )
    return Candidate(proposal, verdict, f"source {name}", name, ("memory",))


def test_a_good_newcomer_gets_in_with_its_history():
    found = select(_pool(), [_candidate("n", features=(2.0, 2.0))], 2, CONFIG)
    entry = found.pool.active[-1]
    assert found.outcomes[0].admitted and found.outcomes[0].reason == "ok"
    assert entry.history == ((2, 0.5, 256),)
    assert entry.parents == ("program-s0",) and entry.round_admitted == 2 and not entry.seed
    assert entry.score == found.outcomes[0].score > CONFIG.cut
    (event,) = found.events
    assert event.kind is PoolEventKind.ADMIT and event.evidence["difficulty"] == 1.0


@pytest.mark.parametrize("clone", ["program", "behaviour", "near"])
@pytest.mark.parametrize("p", [0.97, 0.5])
def test_a_clone_does_not_get_in_however_it_ranks(clone, p):
    changes = {"features": (1.0, 0.0), "p": p}
    if clone == "program":
        changes |= {"program_hash": "program-s1"}
    if clone == "behaviour":
        changes |= {"behaviour_hash": "behaviour-s1"}
    found = select(_pool(), [_candidate("n", **changes)], 1, CONFIG)
    assert not found.outcomes[0].admitted
    assert found.pool == _pool()


def test_a_mastered_clone_would_have_passed_on_its_score_alone():
    # The trap: with difficulty taken as the band's plateau it scores above the cut.
    config = CuratorConfig(shape="plateau", cut=0.3)
    mastered = _candidate("n", features=(1.0, 0.0), p=0.85)
    alone = score(0.85, (1.0, 0.0), ("memory",), 1.0, _pool().neighbourhood(), config)
    assert alone.total > config.cut
    found = select(_pool(), [mastered], 1, config)
    assert found.outcomes[0].reason == "too_easy"


def test_twins_of_one_round_do_not_both_get_in():
    twins = [_candidate(n, features=(2.0, 2.0), behaviour_hash="same") for n in "ab"]
    found = select(_pool(), twins, 1, CONFIG)
    assert sorted(o.reason for o in found.outcomes) == ["ok", "same_behaviour"]


def test_low_rank_unstable_and_surplus_are_turned_away():
    config = CuratorConfig(admit_max=1)
    found = select(
        _pool(), [_candidate("n", features=(2.0, 2.0), p=0.36, stability=0.0)], 1, CONFIG
    )
    assert found.outcomes[0].admitted  # 0.5 · 0.92 + 0.3 · diversity
    dull = _candidate("n", features=(0.1, 0.1), p=0.36, stability=0.0)
    assert (
        select(_pool(), [dull], 1, CuratorConfig(neighbours=1, scale=0.5)).outcomes[0].reason
        == "low_rank"
    )
    many = [_candidate(n, features=(2.0 + i, 2.0)) for i, n in enumerate("abc")]
    assert [o.admitted for o in select(_pool(), many, 1, config).outcomes].count(True) == 1


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(5)), st.lists(st.sampled_from([0.2, 0.4, 0.5, 0.6]), min_size=5))
def test_the_order_of_candidates_does_not_matter(order, rates):
    candidates = [
        _candidate(str(i), features=(float(i % 3), 2.0), p=p) for i, p in enumerate(rates[:5])
    ]
    config = CuratorConfig(admit_max=2)
    plain = select(_pool(), candidates, 1, config)
    mixed = select(_pool(), [candidates[i] for i in order], 1, config)
    assert mixed.pool == plain.pool and mixed.events == plain.events
    assert [o.proposal.id for o in mixed.outcomes] == [f"id-{i}" for i in order]
    assert set(map(repr, mixed.outcomes)) == set(map(repr, plain.outcomes))


def test_a_full_pool_trades_only_for_better():
    config = CuratorConfig(pool_cap=3, pool_floor=1, grace=0)
    pool = _pool()
    measured = tuple(
        dataclasses.replace(e, history=((1, p, 256),), score=s)
        for e, p, s in zip(pool.active, (0.5, 0.5, 0.1), (0.9, 0.9, 0.4), strict=True)
    )
    pool = dataclasses.replace(pool, active=measured)
    found = select(pool, [_candidate("n", features=(2.0, 2.0))], 2, config)
    assert [e.name for e in found.pool.active] == ["s0", "s1", "n"]
    assert [e.name for e in found.pool.archive] == ["s2"]
    assert [e.kind for e in found.events] == [PoolEventKind.EVICT, PoolEventKind.ADMIT]
    better = dataclasses.replace(
        pool, active=tuple(dataclasses.replace(e, score=0.99) for e in measured)
    )
    turned_away = select(better, [_candidate("n", features=(2.0, 2.0), p=0.4)], 2, config)
    assert turned_away.outcomes[0].reason == "low_rank" and turned_away.pool == better


def test_an_empty_pool_takes_what_passes():
    assert select(Pool(), [_candidate("n")], 0, CONFIG).outcomes[0].admitted


@pytest.mark.parametrize(
    "changes",
    [
        {"band": (0.05, 0.7)},
        {"target": 0.9},
        {"shape": "flat"},
        {"alpha": 0.9},
        {"pool_floor": 99},
        {"strikes": 0},
    ],
)
def test_senseless_settings_are_named(changes):
    with pytest.raises(ValueError, match=f"curator.*{next(iter(changes))}"):
        CuratorConfig(**changes)
