"""The ladder of freedom: moved by the share that passes, help before a rung down."""

from __future__ import annotations

import json

import pytest

from spade_jax.generator.llm.ideas import alike, fresh, key_of
from spade_jax.generator.llm.ladder import Ladder
from spade_jax.generator.llm.prompt import Idea


def results(rung: str, passed: int, attempts: int) -> list[tuple[str, bool]]:
    return [(rung, i < passed) for i in range(attempts)]


def test_a_round_is_asked_here_and_a_quarter_one_rung_up() -> None:
    ladder = Ladder()
    assert ladder.plan(8) == ("edit",) * 6 + ("program",) * 2
    assert ladder.plan(3) == ("edit",) * 3
    assert ladder.plan(2, ("program",)) == ("program", "program")
    assert Ladder("program").plan(4) == ("program",) * 4
    assert Ladder("holes").plan(4) == ("holes",) * 4
    with pytest.raises(ValueError, match="unknown rung 'hole'"):
        Ladder("hole")


def test_sagging_quality_gets_help_first_one_kind_at_a_time() -> None:
    ladder = Ladder()
    places, temperatures = [], []
    for round in range(4):
        ladder.observe(round, results("edit", 1, 10))
        places.append(ladder.place)
        temperatures.append(round_(ladder.temperature(0.8)))
    assert places == ["edit+guidance", "edit+examples", "edit+temperature", "holes"]
    assert temperatures == [0.8, 0.8, 0.48, 0.8]
    assert [(m.round, m.before, m.after, m.rate) for m in ladder.moves][-1] == (
        3, "edit+temperature", "holes", 0.1,
    )  # fmt: skip


def round_(value: float) -> float:
    return round(value, 6)


def test_where_nothing_passes_help_is_not_waited_for() -> None:
    ladder = Ladder()
    for round, place in enumerate(("holes", "parameters", "parameters+guidance")):
        ladder.observe(round, results(ladder.rung, 0, 6))
        assert ladder.place == place


def test_few_attempts_decide_nothing_and_add_up() -> None:
    ladder = Ladder()
    for round, place in enumerate(("edit", "edit", "holes")):
        ladder.observe(round, results("edit", 0, 3))
        assert ladder.place == place  # 3, 3·0.8 + 3 = 5.4, 5.4·0.8 + 3 = 7.32 of 6


def test_it_climbs_when_most_pass_unless_the_next_rung_is_hopeless() -> None:
    ladder = Ladder()
    ladder.observe(1, results("edit", 6, 8) + results("program", 0, 4))
    assert ladder.place == "edit"
    ladder.observe(2, results("edit", 6, 8) + results("program", 3, 4))
    assert ladder.place == "program"
    ladder.observe(3, results("program", 8, 8))
    assert ladder.place == "program"  # there is nothing above
    ladder = Ladder()
    ladder.rung = "parameters"
    ladder.observe(1, results("parameters", 8, 8))
    assert ladder.place == "holes"  # never tried: it is


def test_help_is_taken_back_before_it_climbs() -> None:
    ladder = Ladder()
    ladder.help = 2
    for round, place in enumerate(("edit+guidance", "edit", "program")):
        ladder.observe(round, results("edit", 7, 8))
        assert ladder.place == place


def test_a_fixed_rung_gets_help_and_stays() -> None:
    ladder = Ladder("program")
    for round in range(6):
        ladder.observe(round, results("program", 0, 8))
    assert ladder.place == "program+temperature"


def test_its_state_survives_json() -> None:
    ladder = Ladder()
    ladder.observe(1, results("edit", 1, 9) + results("program", 1, 3))
    state = json.loads(json.dumps(ladder.state_dict()))
    other = Ladder()
    other.load_state_dict(state)
    assert other.state_dict() == ladder.state_dict()
    assert other.moves == ladder.moves and other.counts == ladder.counts
    with pytest.raises(ValueError, match="no such place"):
        other.load_state_dict({**state, "rung": "sky"})


def test_ideas_are_one_when_most_words_are() -> None:
    bread = Idea("Oven watch", "carry every loaf out of the oven before it burns")
    again = Idea("Watching ovens", "carry the loaf out of an oven before it is burned")
    other = Idea("Night watch", "find the thief in the dark before dawn")
    assert alike(key_of(bread), key_of(again))
    assert not alike(key_of(bread), key_of(other))
    assert fresh([bread, again, other, other], ()) == [bread, other]
    assert fresh([bread, other], [key_of(again)]) == [other]


def test_ideas_in_any_script_are_told_apart() -> None:
    hut = Idea("Хижина в лесу", "дойти до хижины раньше волка")
    river = Idea("Паром через реку", "перевезти всех коз на другой берег")
    tea = Idea("茶屋", "客が来る前に湯を沸かす")
    assert fresh([hut, river, tea, hut, tea], ()) == [hut, river, tea]
