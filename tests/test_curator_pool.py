"""The pool: hysteresis, eviction, restoration, quarantine; nothing is ever lost."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spade_jax.curator import CuratorConfig
from spade_jax.curator.eviction import evict, learning_progress, restore
from spade_jax.curator.pool import (
    Pool,
    admit,
    from_state,
    quarantine,
    release,
    start,
    to_state,
    update,
    views,
)
from spade_jax.curator.posterior import evaluation
from spade_jax.types import PoolEntry, PoolEventKind

CONFIG = CuratorConfig(pool_cap=6, pool_floor=2, grace=1, stall_rounds=3)


def _entry(name, skills=("navigation",), **changes):
    index = int(name[1:])
    fields = {
        "program_hash": name,
        "skeleton_hash": f"k{name}",
        "behaviour_hash": f"b{name}",
        "source": name,
        "name": name,
        "generator": "seeds",
        "operator": "seed",
        "parents": (),
        "round_admitted": 0,
        "skills": skills,
        "features": (float(index), float(index % 3)),
        "stability": 1.0,
    }
    return PoolEntry(**fields | changes)


def _start(n=4, **changes):
    return start([_entry(f"p{i}", **changes) for i in range(n)])[0]


def _measure(pool, round, rates, steps=None, config=CONFIG):
    found = [evaluation(k, round, round_count(p), 256, 100) for k, p in rates.items()]
    return update(pool, found, round, config, steps)


def round_count(p):
    return round(p * 256)


def _names(entries):
    return [e.name for e in entries]


def test_seeds_start_ungated_and_are_recorded():
    pool, events = start([_entry("p0"), _entry("p1")])
    assert all(e.seed and e.success is None for e in pool.active)
    assert [(e.kind, e.reason) for e in events] == [(PoolEventKind.ADMIT, "seed")] * 2
    with pytest.raises(ValueError, match="admitted before"):
        start([_entry("p0"), _entry("p0")])
    with pytest.raises(ValueError, match="admitted before"):
        admit(pool, _entry("p1"), 3, {})


def test_only_strikes_in_a_row_evict():
    pool = _start()
    for round, rate in enumerate([0.95, 0.97, 0.5, 0.95, 0.97]):
        pool = _measure(pool, round, {"p0": rate, "p1": 0.5, "p2": 0.4, "p3": 0.6})
        pool, events = evict(pool, round, CONFIG)
        assert events == ()
    pool = _measure(pool, 5, {"p0": 0.96})
    pool, (event,) = evict(pool, 5, CONFIG)
    assert (event.kind, event.program_hash, event.reason) == (PoolEventKind.EVICT, "p0", "mastered")
    assert event.evidence["strikes"] == 3
    assert _names(pool.archive) == ["p0"]
    assert pool.archive[0].history[-1][0] == 5


def test_between_band_and_keep_band_nothing_happens():
    pool = _start()
    for round in range(8):  # outside [0.3, 0.7], inside [0.1, 0.9]
        pool = _measure(pool, round, {"p0": 0.85, "p1": 0.15, "p2": 0.5, "p3": 0.5})
        pool, events = evict(pool, round, CONFIG)
        assert events == ()


def test_hopeless_ones_go_too_but_never_below_the_floor():
    pool = _start()
    for round in range(3):
        pool = _measure(pool, round, {f"p{i}": 0.02 for i in range(4)})
        pool, events = evict(pool, round, CONFIG)
    assert {e.reason for e in events} == {"hopeless"}
    assert len(pool.active) == CONFIG.pool_floor


def test_progress_is_success_per_million_steps():
    pool = _start()
    for round, rate in enumerate([0.2, 0.3, 0.4]):
        pool = _measure(pool, round, {"p0": rate}, {"p0": 1_000_000} if round else {})
    found = learning_progress(pool, pool.active[0], 3)
    assert found.steps == 2_000_000
    assert found.rate == pytest.approx(0.1, abs=0.005)
    assert found.most > found.rate
    assert learning_progress(pool, pool.active[0], 4) is None
    assert learning_progress(pool, pool.active[1], 3) is None


def test_a_stalled_program_goes_once_that_is_certain():
    pool = _start()
    for round in range(3):
        steps = {"p0": 20_000_000, "p1": 100_000} if round else {}
        pool = _measure(pool, round, {"p0": 0.5, "p1": 0.5, "p2": 0.5}, steps)
        before, (pool, events) = pool, evict(pool, round, CONFIG)
        assert bool(events) == (round == 2)
    (event,) = events
    assert (event.program_hash, event.reason) == ("p0", "stalled")  # p1: too few steps to tell
    # Falling is not stalling.
    fallen = _measure(before, 3, {"p0": 0.1}, {"p0": 1_000})
    assert not [e for e in evict(fallen, 3, CONFIG)[1] if e.reason == "stalled"]


def test_over_the_cap_the_least_useful_goes_but_not_the_last_of_a_skill():
    pool = start(
        [_entry(f"p{i}") for i in range(6)] + [_entry("p6", skills=("memory",))],
    )[0]
    rates = {f"p{i}": 0.5 for i in range(5)} | {"p5": 0.8, "p6": 0.88}
    pool = _measure(pool, 3, rates)
    pool, (event,) = evict(pool, 3, CONFIG)
    assert (event.program_hash, event.reason) == ("p5", "least_useful")
    assert len(pool.active) == 6


def test_newcomers_have_grace_and_the_unmeasured_stay():
    pool = _start(6)
    pool = _measure(pool, 4, {f"p{i}": 0.5 for i in range(6)})
    pool, _ = admit(pool, _entry("p7", history=((4, 0.31, 256),)), 4, {})
    pool, (event,) = evict(pool, 4, CONFIG)
    assert event.program_hash != "p7"
    unmeasured = _start(7)
    assert evict(unmeasured, 9, CONFIG) == (unmeasured, ())


def _archived(history, rate):
    """p0 left after ``history`` and was measured at ``rate`` afterwards."""
    pool = _start()
    for round, p in enumerate(history):
        pool = _measure(pool, round, {"p0": p, "p1": 0.5, "p2": 0.5, "p3": 0.5})
        pool, _ = evict(pool, round, CONFIG)
    assert _names(pool.archive) == ["p0"]
    assert restore(pool, len(history), CONFIG) == (pool, ())  # not measured since
    return _measure(pool, len(history), {"p0": rate, "p1": 0.5, "p2": 0.5, "p3": 0.5})


@pytest.mark.parametrize(
    ("history", "rate", "reason"),
    [
        ([0.95] * 3, 0.5, "forgotten"),
        ([0.95] * 3, 0.1, "forgotten"),
        ([0.02] * 3, 0.5, "in_band"),
        ([0.95] * 3, 0.8, None),
        ([0.95] * 3, 0.96, None),
        ([0.02] * 3, 0.2, None),
    ],
)
def test_what_is_forgotten_or_in_the_band_again_comes_back(history, rate, reason):
    pool = _archived(history, rate)
    back, events = restore(pool, 3, CONFIG)
    if reason is None:
        assert (back, events) == (pool, ())
        return
    assert [(e.kind, e.reason) for e in events] == [(PoolEventKind.RESTORE, reason)]
    assert _names(back.active) == ["p1", "p2", "p3", "p0"] and not back.archive
    assert back.active[-1].strikes == 0
    assert back.active[-1].history[:3] == pool.archive[0].history[:3]


def test_in_a_full_pool_two_programs_do_not_take_turns():
    config = dataclasses.replace(CONFIG, pool_cap=3)
    pool = _measure(_start(4), 3, {f"p{i}": 0.5 for i in range(4)}, config=config)
    pool, (event,) = evict(pool, 3, config)
    out = event.program_hash
    for round in range(4, 9):
        pool = _measure(pool, round, {f"p{i}": 0.5 for i in range(4)}, config=config)
        pool, back = restore(pool, round, config)
        pool, gone = evict(pool, round, config)
        assert (back, gone) == ((), ())
    assert [e.program_hash for e in pool.archive] == [out]


def test_quarantine_keeps_the_evidence_and_release_brings_back():
    evidence = {"seed": [1, 2], "step": 17, "actions": [0, 3]}
    pool, (event,) = quarantine(_start(), "p1", 4, "not_finite", evidence)
    assert (event.kind, event.evidence) == (PoolEventKind.QUARANTINE, evidence)
    assert _names(pool.quarantined) == ["p1"] and "p1" not in _names(pool.active)
    assert quarantine(pool, "p1", 5, "not_finite", evidence) == (pool, ())
    assert "p1" not in [v.name for v in views(pool)]
    assert "p1" in pool.identities().programs
    back, (event,) = release(pool, "p1", 6, 0.75)
    assert (event.kind, event.reason) == (PoolEventKind.RESTORE, "healthy")
    assert back.active[-1].stability == 0.75
    with pytest.raises(KeyError):
        release(back, "p1", 7, 1.0)
    with pytest.raises(KeyError):
        quarantine(back, "absent", 7, "fault", {})


def test_update_refuses_strangers_and_doubles():
    pool = _start()
    with pytest.raises(ValueError, match="p9 is not in the pool"):
        _measure(pool, 0, {"p9": 0.5})
    with pytest.raises(ValueError, match="p9 is not in the pool"):
        update(pool, [], 0, CONFIG, {"p9": 3})
    one = evaluation("p0", 0, 1, 2, 3)
    with pytest.raises(ValueError, match="two evaluations"):
        update(pool, [one, one], 0, CONFIG)


def test_views_tell_what_is_active():
    pool = _archived([0.95] * 3, 0.96)
    assert [(v.name, v.active) for v in views(pool)] == [
        ("p1", True),
        ("p2", True),
        ("p3", True),
        ("p0", False),
    ]
    assert views(pool)[3].success == pool.archive[0].success


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["measure", "evict", "restore", "admit", "quarantine", "release"]),
        st.lists(st.sampled_from([0.0, 0.05, 0.4, 0.5, 0.95, 1.0]), min_size=12, max_size=12),
        st.integers(0, 11),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(OPERATIONS)
def test_whatever_happens_nothing_is_lost_and_every_move_has_an_event(operations):
    pool, events = start([_entry(f"p{i}") for i in range(5)])
    where = {e.program_hash: "active" for e in pool.active}
    log = list(events)
    for round, (operation, rates, which) in enumerate(operations, start=1):
        everyone = [e.program_hash for e in pool.entries]
        new: tuple = ()
        if operation == "measure":
            measured = dict(zip(everyone, rates, strict=False))
            pool = _measure(pool, round, measured, dict.fromkeys(measured, 500_000))
        elif operation == "evict":
            pool, new = evict(pool, round, CONFIG)
            assert (
                len(pool.active) <= CONFIG.pool_cap
                or any(e.success is None for e in pool.active)
                or round - max(pool.since.values()) < CONFIG.grace
            )
        elif operation == "restore":
            pool, new = restore(pool, round, CONFIG)
        elif operation == "admit" and f"p{which}" not in everyone:
            pool, new = admit(pool, _entry(f"p{which}"), round, {})
        elif operation == "quarantine":
            pool, new = quarantine(pool, everyone[which % len(everyone)], round, "fault", {})
        elif operation == "release" and pool.quarantined:
            pool, new = release(pool, pool.quarantined[0].program_hash, round, 1.0)
        log += new
        places = {
            e.program_hash: place
            for place in ("active", "archive", "quarantined")
            for e in getattr(pool, place)
        }
        assert len(places) == len(pool.entries)  # in one place only
        assert set(places) >= set(where)  # nothing lost
        moved = {k for k in places if places[k] != where.get(k)}
        assert {e.program_hash for e in new} >= moved
        where = places
        assert from_state(json.loads(json.dumps(to_state(pool)))) == pool
    admitted = [e.program_hash for e in log if e.kind is PoolEventKind.ADMIT]
    assert sorted(admitted) == sorted(where)


def test_a_pool_state_with_a_hole_is_refused():
    state = to_state(Pool())
    del state["spent"]
    with pytest.raises(ValueError, match="spent"):
        from_state(state)
