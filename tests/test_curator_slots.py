"""Slots: everyone's share, a floor per skill, and as few recompiled cohorts as can be."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spade_jax.curator import CuratorConfig, assign_slots, changed_cohorts, evaluation
from spade_jax.curator.pool import Pool, update
from spade_jax.curator.slots import shares
from spade_jax.types import PoolEntry

CONFIG = CuratorConfig()
SKILLS = ("navigation", "memory", "puzzle")


def _entry(index, success=0.5, skill=None, skeleton=None, steps=1000):
    return PoolEntry(
        program_hash=f"p{index:02d}",
        skeleton_hash=skeleton or f"k{index}",
        behaviour_hash=f"b{index}",
        source="",
        name=f"p{index}",
        generator="seeds",
        operator="seed",
        parents=(),
        round_admitted=0,
        skills=(skill or SKILLS[index % 3],),
        features=(),
        stability=1.0,
        history=() if success is None else ((0, success, 256),),
        env_steps=steps,
    )


def _pool(entries, archive=()):
    entries, archive = tuple(entries), tuple(archive)
    spent = {e.program_hash: (e.env_steps,) * len(e.history) for e in entries + archive}
    since = dict.fromkeys(spent, 0)
    return Pool(active=entries, archive=archive, since=since, spent=spent)


def _empty(n):
    return ("",) * n


ENTRIES = st.lists(
    st.tuples(
        st.sampled_from([None, 0.0, 0.3, 0.5, 0.9, 1.0]),
        st.sampled_from(SKILLS),
        st.sampled_from(["k0", "k1", None]),
        st.sampled_from([0, 1000]),
    ),
    min_size=1,
    max_size=14,
).map(lambda rows: [_entry(i, *row) for i, row in enumerate(rows)])


@settings(max_examples=100, deadline=None)
@given(ENTRIES, st.sampled_from([4, 8, 12, 24]), st.data())
def test_layouts_are_full_valid_deterministic_and_settle(entries, n, data):
    names = [e.program_hash for e in entries]
    before = tuple(
        data.draw(st.lists(st.sampled_from([*names, "", "gone"]), min_size=n, max_size=n))
    )
    pool = _pool(entries)
    after = assign_slots(pool, before, 3)
    assert after == assign_slots(pool, before, 3)
    assert len(after) == n and set(after) <= set(names)
    if n >= len(entries):
        assert set(after) == set(names)
    # Slots keep what they held unless something had to move: a settled layout does not change.
    for _ in range(n):
        before, after = after, assign_slots(pool, after, 3)
        if before == after:
            break
    if n >= len(entries):
        assert before == after
        skills = {s for p in after for s in pool.find(p).skills}
        assert skills == {s for e in entries for s in e.skills}


def test_shares_follow_learnability_and_waiting():
    pool = _pool([_entry(0, 0.5), _entry(1, 0.99), _entry(2, None)])
    pool = dataclasses.replace(pool, trained=dict.fromkeys(("p00", "p01", "p02"), 3))
    found = shares(pool, 12, CONFIG, 4)
    assert sum(found.values()) == pytest.approx(12)
    assert found["p00"] == found["p02"] > 3 * found["p01"]
    waited = dataclasses.replace(pool, trained={**pool.trained, "p01": 1})
    # 0.1 + 0.0396 + 2 rounds of 0.25, beside two of 1.1
    assert shares(waited, 12, CONFIG, 4)["p01"] == pytest.approx(12 * 0.6396 / 2.8396)
    never = dataclasses.replace(pool, trained={"p00": 3, "p02": 3}, since={**pool.since, "p01": 2})
    assert shares(never, 12, CONFIG, 4)["p01"] == pytest.approx(12 * 0.3896 / 2.5896)


def test_a_learnable_program_gets_more_slots():
    pool = _pool([_entry(0, 0.5), _entry(1, 0.98), _entry(2, 0.02), _entry(3, 0.5)])
    counts = Counter(assign_slots(pool, _empty(16), 0))
    assert counts["p00"] == counts["p03"] >= 6
    assert counts["p01"] >= 1 and counts["p02"] >= 1


def test_newcomers_share_cohorts():
    seeds = [_entry(i) for i in range(10)]
    first = assign_slots(_pool(seeds), _empty(24), 0)
    newcomers = [_entry(i, None, steps=0) for i in range(10, 14)]
    second = assign_slots(_pool(seeds + newcomers), first, 1)
    assert set(second) == {f"p{i:02d}" for i in range(14)}
    changed = changed_cohorts(first, second, 4)
    assert len(changed) == 1
    third = assign_slots(_pool(seeds + newcomers), second, 2)
    assert third == second


def test_newcomers_go_where_programs_left():
    seeds = [_entry(i) for i in range(8)]
    first = assign_slots(_pool(seeds), _empty(8), 0)
    pool = _pool(
        [e for e in seeds if e.program_hash != first[5]] + [_entry(9, None, steps=0)],
        archive=[e for e in seeds if e.program_hash == first[5]],
    )
    second = assign_slots(pool, first, 1)
    assert second[5] == "p09"
    assert [i for i in range(8) if first[i] != second[i]] == [5]


def test_a_new_program_of_an_old_skeleton_takes_its_slot():
    seeds = [_entry(i) for i in range(8)]
    first = assign_slots(_pool(seeds), _empty(8), 0)
    left = [_entry(2), _entry(6)]
    stay = [e for e in seeds if e.program_hash not in ("p02", "p06")]
    new = [_entry(20, None, skeleton="k6", steps=0), _entry(21, None, skeleton="k2", steps=0)]
    second = assign_slots(_pool(stay + new, archive=left), first, 1)
    assert second[first.index("p06")] == "p20"
    assert second[first.index("p02")] == "p21"


@pytest.mark.parametrize(("cohort", "moves"), [(1, 2), (4, 4)])
def test_with_few_slots_programs_take_turns_and_every_skill_keeps_one(cohort, moves):
    """As a run does it: who sits in a slot is trained on, and all are measured."""
    config = dataclasses.replace(CONFIG, cohort=cohort)
    entries = [_entry(i, skill="memory" if i == 23 else "navigation", steps=0) for i in range(24)]
    pool, slots = _pool(entries), _empty(16)
    trained = Counter()
    for round in range(1, 41):
        after = assign_slots(pool, slots, round, config)
        if round > 1:
            assert sum(a != b for a, b in zip(slots, after, strict=True)) <= moves
        slots = after
        assert "p23" in slots
        trained.update(set(slots))
        measured = [evaluation(e.program_hash, 0, 128, 256, 0) for e in entries]
        pool = update(pool, measured, round, config, dict.fromkeys(set(slots), 1000))
    assert set(trained) == {e.program_hash for e in entries}
    others = [n for key, n in trained.items() if key != "p23"]
    assert trained["p23"] == 40
    assert min(others) >= 20 and max(others) <= 33  # 40 × 15 / 23 is 26


def test_a_newcomer_does_not_wait_for_a_place():
    entries = [_entry(i) for i in range(8)]
    slots = assign_slots(_pool(entries), _empty(8), 0)
    after = assign_slots(_pool([*entries, _entry(8, None, steps=0)]), slots, 1)
    assert "p08" in after
    assert sum(a != b for a, b in zip(slots, after, strict=True)) == 1


def test_nothing_to_lay_out_is_an_error():
    with pytest.raises(ValueError, match="nothing to lay out"):
        assign_slots(Pool(), _empty(4), 0)
    with pytest.raises(ValueError, match="nothing to lay out"):
        assign_slots(_pool([_entry(0)]), (), 0)
