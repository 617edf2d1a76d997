"""Difficulty in training follows success; what is measured stays as declared."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import run_folders as hand
from tiny_runs import TINY, timeless, write_config

from envs_dsl import Program
from envs_dsl.adaptive import AdaptiveConfig
from experiments import inspect
from spade_jax import coevolution, rooms
from spade_jax.config import Config
from spade_jax.difficulty import Difficulty, at_difficulty, follow
from spade_jax.learner import IterationMetrics, Layout, Learner, LearnerConfig
from spade_jax.learner.levels import draw_levels, fold
from spade_jax.learner.metrics import SlotMetrics
from spade_jax.records import read_jsonl
from spade_jax.report import read_run
from spade_jax.report.page import render_report

TEXT = '''"""Walk to the right border; there is nothing else to do."""
game = Game(size=(3, 9), max_steps=STEPS, skills=["navigation"])

WAY = Param(4, 1, 8, harder="up")

class State:
    agent: Pos
    steps: Int(0, 99)

def reset(s):
    s.agent = Pos(1, 8 - WAY)
    s.steps = 0

def step(s, act):
    s.agent = s.agent + act.move
    s.steps += 1
    if WON:
        win()
'''


def program(name: str, won: str, steps: int) -> Program:
    return Program.from_source(TEXT.replace("STEPS", str(steps)).replace("WON", won), name)


EASY = program("easy", "s.steps >= 1", 5)  # every episode is won, in one step
HOPELESS = program("hopeless", "s.steps > 90", 5)  # an episode has five
SLOW = program("slow", "s.steps > 90", 33)
WALK = program("walk", "s.agent.col == 8", 25)
FIXED = Program.from_source(WALK.source.replace(', harder="up"', ""), "fixed")

NUMBERS = AdaptiveConfig(initial=0.5)


# --- the rule in training, by hand ------------------------------------------------------------


def metrics(*slots: tuple[Program, int, int]) -> IterationMetrics:
    """Of an iteration: (program, successes, episodes) of each slot."""
    rows = tuple(
        SlotMetrics(i, p.hashes.program, 99, episodes, wins, 0.0, 0.0, True, 0.0)
        for i, (p, wins, episodes) in enumerate(slots)
    )
    return IterationMetrics(1, 99, rows, {}, 0.0, 0.0)


def after(
    *iterations: tuple[int, int],
    program: Program = EASY,
    rows: int = 16,
    config: AdaptiveConfig = NUMBERS,
) -> Difficulty:
    """Difficulty after iterations with so many (successes, episodes), each of so many rows."""
    found: dict[str, Difficulty] = {}
    for wins, episodes in iterations:
        layout = Layout((program,), 1)
        found = follow(found, layout, metrics((program, wins, episodes)), rows, config)
    return found[program.hashes.program]


@pytest.mark.parametrize(
    ("iterations", "value"),
    [
        ([(81, 100)], 0.6),  # × 1.2
        ([(80, 100)], 0.5),  # 0.8 is not above 0.8
        ([(30, 100)], 0.5),
        ([(29, 100)], 0.45),  # × 0.9
        ([(19, 19)], 0.5),  # fewer than the window
        ([(10, 10), (7, 10)], 0.6),  # 17 of 20
        ([(10, 10), (6, 10)], 0.5),
        ([(100, 100), (0, 100)], 0.54),  # what was played before a change counts no more
        ([(50, 100), (100, 100)], 0.6),  # nor what was decided on
        ([(100, 100)] * 9, 1.0),
    ],
)
def test_a_decision_goes_by_all_episodes_since_the_last(iterations: Any, value: float) -> None:
    assert after(*iterations).value == pytest.approx(value)


def test_it_waits_until_any_episode_could_have_ended() -> None:
    """Of copies that begin together the short episodes end first: here wins, then the failures."""
    assert after((60, 60), program=WALK) == Difficulty(0.5, 60, 60, 16)
    assert after((60, 60), (0, 60), program=WALK) == Difficulty(0.5)  # 25 rows are over
    assert after((60, 60), (60, 60), program=WALK) == Difficulty(0.6)


def test_the_numbers_are_those_of_the_configuration() -> None:
    numbers = AdaptiveConfig(window=4, high=0.5, raise_by=2, most_change=0.3, highest=0.7)
    assert after((3, 4), config=numbers).value == 0.5  # from 0.25
    assert after((3, 4), (3, 4), config=numbers).value == 0.7


def test_slots_of_a_program_count_together_and_who_is_away_keeps_its_own() -> None:
    layout = Layout((EASY, HOPELESS, EASY, FIXED), 2)
    known = {WALK.hashes.program: Difficulty(0.8, 1, 2, 3)}
    seen = metrics((EASY, 12, 12), (HOPELESS, 1, 12), (EASY, 5, 8), (FIXED, 99, 99))
    found = follow(known, layout, seen, 16, NUMBERS)
    assert found == {
        WALK.hashes.program: Difficulty(0.8, 1, 2, 3),
        EASY.hashes.program: Difficulty(0.6),  # 17 of 20
        HOPELESS.hashes.program: Difficulty(0.5, 1, 12, 16),
    }
    harder = at_difficulty(layout, found, NUMBERS)
    assert harder.difficulties == (0.6, 0.5, 0.6, None)
    assert harder.programs == layout.programs and layout.difficulties == ()


# --- the levels ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("difficulty", "way"), [(None, 4), (0.0, 1), (0.5, 4), (1.0, 8)])
def test_levels_lie_around_the_difficulty(difficulty: float | None, way: int) -> None:
    key = fold(np.zeros(2, np.uint32), 1)
    exact = draw_levels(WALK, 8, key, difficulty=difficulty)
    assert (exact.params == way).all()
    noisy = draw_levels(WALK, 800, key, 0.1, difficulty)
    assert (noisy.params >= 1).all() and (noisy.params <= 8).all()
    assert abs(np.median(noisy.params) - way) <= 1 and np.unique(noisy.params).size > 1
    assert np.array_equal(noisy.seeds[:8], exact.seeds), "the same levels, only harder or easier"


def test_the_learner_trains_on_them_and_measures_the_declared_ones() -> None:
    settings = LearnerConfig(slots=2, copies=16, cohort_size=2, rollout_length=16, minibatches=4)
    learner = Learner(settings)
    declared = Layout((WALK, EASY), 2)
    layout = dataclasses.replace(declared, difficulties=(0.0, 1.0))
    state = learner.init(0, layout)

    def ways() -> list[list[float]]:
        return [np.unique(np.asarray(c.state.params)).tolist() for c in state.carries]

    state, first = learner.train_iteration(state, layout)
    assert ways() == [[1.0], [8.0]]
    # One rollout later every episode of EASY is a new one; running ones of WALK go on as begun.
    state, _ = learner.train_iteration(state, dataclasses.replace(layout, difficulties=(1.0, 0.0)))
    assert set(ways()[0]) <= {1.0, 8.0} and ways()[1] == [1.0]
    measured = [
        learner.evaluate(state.params, [WALK], episodes=32, layout=played)[0]
        for played in (layout, declared)
    ]
    assert np.array_equal(measured[0].lengths, measured[1].lengths)
    assert np.array_equal(measured[0].success, measured[1].success)
    _, same = learner.train_iteration(learner.init(0, declared), declared)
    even = dataclasses.replace(declared, difficulties=(0.5, 0.5))
    _, halfway = learner.train_iteration(learner.init(0, declared), even)
    assert same.losses == halfway.losses != first.losses, "0.5 is what is declared"


def test_a_layout_has_a_difficulty_for_each_slot() -> None:
    with pytest.raises(ValueError, match="1 difficulties for 2 slots"):
        Layout((EASY, WALK), 2, (0.5,))


# --- in a run -----------------------------------------------------------------------------------

PROGRAMS = (EASY, HOPELESS, SLOW)
CONFIG: Config = dataclasses.replace(
    TINY,
    arm="fixed",
    adaptive=True,
    pretrain_iterations=1,
    rounds=1,
    heldout_every=1,
    heldout_episodes=1,
    difficulty=AdaptiveConfig(initial=0.5, window=10),
    learner=dataclasses.replace(TINY.learner, slots=3, cohort_size=3),
)


def run(folder: pathlib.Path, resume: bool = False, **changes: Any) -> list[Mapping[str, Any]]:
    folder.mkdir(exist_ok=True)
    coevolution.run(dataclasses.replace(CONFIG, **changes), folder, resume=resume)
    return [m for m in read_jsonl(folder / "metrics.jsonl") if m["kind"] == "round"]


def test_it_rises_with_mastery_falls_without_hope_and_resumes_exactly(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(rooms, "seeds", lambda: PROGRAMS)
    straight, stopped = tmp_path / "straight", tmp_path / "stopped"
    lines = run(straight)
    # Two iterations a round, and one before the first: a decision in each of them.
    easy = [line["difficulties"][EASY.hashes.program] for line in lines]
    assert easy == pytest.approx([0.6, 0.8])
    hopeless = [line["difficulties"][HOPELESS.hashes.program] for line in lines]
    assert hopeless == pytest.approx([0.5 * 0.9, 0.5 * 0.9**3])
    slow = [line["difficulties"][SLOW.hashes.program] for line in lines]
    assert slow == pytest.approx([0.5, 0.5 * 0.9])  # 33 steps take three iterations of 16 rows

    run(stopped, rounds=0)  # stops in the middle of what the decision on SLOW rests on
    run(stopped, rounds=1, resume=True)
    assert timeless(stopped / "events.jsonl") == timeless(straight / "events.jsonl")
    went_on = [line for line in timeless(stopped / "metrics.jsonl") if line["kind"] != "plan"]
    assert went_on == timeless(straight / "metrics.jsonl")

    write_config(tmp_path, adaptive=True).rename(straight / "config.yaml")
    assert inspect.main([str(straight), EASY.hashes.program]) == 0
    told = "0.60 (round 0), 0.80 (round 1)"
    assert f"difficulty in training (0.5: as declared): {told}" in capsys.readouterr().out
    page = render_report(read_run(straight))
    assert "difficulty in training 0.60 → 0.80" in page


def test_a_run_without_it_does_not_speak_of_it(tmp_path: pathlib.Path) -> None:
    page = render_report(read_run(hand.write_run(tmp_path / "r", events=[hand.pool("admit", "a")])))
    assert "difficulty in training" not in page
