"""Evidence of misbehaviour in training: found with the learner's own roll-outs, replayed alone."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from small_programs import FAULTY, RIGHT, STAY, UP

from envs_dsl import Program
from envs_dsl.backends import numpy_backend
from spade_jax.evidence import FAULT, NOT_FINITE, Evidence, Recording, find, read_evidence, replay
from spade_jax.learner import Layout, Learner, LearnerConfig
from spade_jax.types import to_json

CONFIG = LearnerConfig(
    slots=1, copies=8, cohort_size=1, rollout_length=8, minibatches=2, hidden=16, param_noise=0.3
)


def program(steps: int) -> Program:
    return Program.from_source(FAULTY.replace("STEPS", str(steps)))


@pytest.fixture(scope="module")
def learner() -> Learner:
    return Learner(CONFIG)


def evidence_of(learner: Learner, steps: int, iteration: int) -> Any:
    """What is found in the given iteration (from 0)."""
    layout = Layout((program(steps),), 1)
    state = learner.init(0, layout)
    for _ in range(iteration):
        state, metrics = learner.train_iteration(state, layout)
    recording = learner.record(state, layout, 0)
    _, metrics = learner.train_iteration(state, layout)
    assert metrics.slots[0].faults > 0
    again = learner.record(state, layout, 0)
    assert np.array_equal(recording.action, again.action)
    found = find(layout.programs[0], again, FAULT, iteration=iteration + 1, slot=0)
    assert found is not None
    return found


def by_hand(evidence: Any) -> int:
    """Steps until the fault by the rule of the program alone: FREE moves to the right."""
    rights = 0 if evidence.start is None else evidence.start["fields"]["rights"]
    step = 0 if evidence.start is None else evidence.start["t"]
    for (action,) in evidence.actions:
        step += 1
        rights += action == RIGHT
        if rights >= evidence.params[0]:
            return step
    raise AssertionError("the actions do not lead to the fault")


def test_an_episode_of_the_roll_out_replays_from_its_level(learner: Learner) -> None:
    found = evidence_of(learner, steps=20, iteration=0)
    assert (found.start, found.iteration, found.slot) == (None, 1, 0)
    assert found.program_hash == program(20).hashes.program
    assert found.step == len(found.actions) == by_hand(found) == replay(found)


def test_an_episode_that_began_earlier_replays_from_a_stored_state(learner: Learner) -> None:
    """In the second roll-out every copy is in the middle of its only episode."""
    found = evidence_of(learner, steps=500, iteration=1)
    assert found.start is not None and found.start["t"] == 7  # the first row fetched the level
    assert len(found.actions) == found.step - 7
    assert found.step == by_hand(found) == replay(found)


def test_evidence_is_small_json_and_replays_after_it(learner: Learner) -> None:
    for steps, iteration in ((20, 0), (500, 1)):
        found = evidence_of(learner, steps, iteration)
        text = json.dumps(to_json(found))
        assert len(text) < 3000
        read = read_evidence(json.loads(text))
        assert read == found and replay(read) == found.step


DUEL = """\
\"\"\"Be the last to go right; the second such move of the other seat is a fault.\"\"\"

game = Game(size=(3, 3), max_steps=500, players=2, turns="simultaneous", skills=["contest"])


class State:
    rights: Int(0, 99)
    drawn: Pos
    mine: Int(0, 1000000)
    theirs: Int(0, 1000000)


def reset(s):
    s.drawn = Pos(0, 0)


def step(s, acts):
    s.mine = 2 * s.mine
    s.theirs = 2 * s.theirs
    if acts[0].move == RIGHT:
        s.mine += 1
    if acts[1].move == RIGHT:
        s.theirs += 1
        s.rights += 1
    if s.rights >= 2:
        s.drawn = random_cell(at(s.drawn) and not at(s.drawn))
    if s.drawn == Pos(2, 2):
        win(0)
"""


def test_the_actions_are_those_that_all_seats_played(learner: Learner) -> None:
    """The program writes down who went right, in binary; the learner's own state is the truth."""
    layout = Layout((Program.from_source(DUEL),), 1)
    state = learner.init(0, layout)
    found = find(layout.programs[0], learner.record(state, layout, 0), FAULT, iteration=1, slot=0)
    after, _ = learner.train_iteration(state, layout)
    assert found is not None and found.start is None
    played = after.carries[0].state
    assert played.fault[found.copy] and played.seed[found.copy].tolist() == list(found.seed)
    later = int(played.t[found.copy]) - found.step  # steps after the fault
    for seat, trail in enumerate(("mine", "theirs")):
        bits = [int(actions[seat] == RIGHT) for actions in found.actions]
        written = int(played.fields[trail][found.copy]) >> later
        assert written == int("".join(map(str, bits)), 2)
    assert sum(actions[1] == RIGHT for actions in found.actions) == 2
    assert replay(found) == found.step


def test_only_the_episode_of_the_fault_is_kept() -> None:
    """By hand: a truncated episode, one that is won, then the one with the fault, in copy 1."""
    text = FAULTY.replace("STEPS", "2").replace("if s.drawn", "if act.move == UP or s.drawn")
    program = Program.from_source(text)
    backend = numpy_backend(program)
    constants = backend.constants(program)
    seeds = np.arange(12, dtype=np.int32).reshape(6, 2)
    params = np.full((6, 1), 2, np.float32)
    begun = backend.reset(constants, seeds[:2] + 100, params[:2])
    rows = [RIGHT, STAY, -1, UP, RIGHT, RIGHT]  # copy 1; copy 0 stays
    episode = [-1, -1, -1, 51, 53, 53]  # level ids: the pool's begin at 50, -1 is before it
    valid = np.asarray([action >= 0 for action in rows])
    # Copy 0 is truncated over and over: two steps, then a row without one.
    calm_valid = np.asarray([True, True, False, True, True, False])
    recording = Recording(
        state=begun,
        pool=backend.reset(constants, seeds, params),
        first_level=50,
        salt=0,
        level=np.asarray([52, 53], np.int32),
        action=np.stack([np.zeros(6), np.maximum(rows, 0)], 1).astype(np.int32),
        levels=np.asarray(list(zip([-1, -1, -1, 50, 50, 50], episode))).astype(np.int32),
        valid=np.stack([calm_valid, valid], 1),
        terminated=np.stack([np.zeros(6), np.asarray(rows) == UP], 1).astype(bool),
        healthy=np.ones((6, 2), bool),
    )
    found = find(program, recording, FAULT, iteration=9, slot=4)
    assert found == Evidence(
        program_hash=program.hashes.program,
        source=text,
        fault=FAULT,
        iteration=9,
        slot=4,
        copy=1,
        seed=(6, 7),
        params=(2.0,),
        start=None,
        actions=((RIGHT,), (RIGHT,)),
        step=2,
    )
    assert replay(found) == 2


def test_a_fault_in_the_level_itself_has_no_actions(learner: Learner) -> None:
    text = FAULTY.replace("STEPS", "20")
    text = text.replace(
        "s.drawn = Pos(0, 0)", "s.drawn = random_cell(at(s.agent) and not at(s.agent))"
    )
    layout = Layout((Program.from_source(text),), 1)
    state = learner.init(0, layout)
    found = find(layout.programs[0], learner.record(state, layout, 0), FAULT, iteration=1, slot=0)
    assert found is not None and (found.step, found.actions) == (0, ())
    assert replay(found) == 0


def test_nothing_is_found_where_nothing_is(learner: Learner) -> None:
    layout = Layout((program(20),), 1)
    recording = learner.record(learner.init(0, layout), layout, 0)
    assert find(layout.programs[0], recording, NOT_FINITE, iteration=1, slot=0) is None


def test_what_only_the_learner_saw_does_not_replay(learner: Learner) -> None:
    layout = Layout((program(20),), 1)
    recording = learner.record(learner.init(0, layout), layout, 0)
    broken = np.ones_like(recording.healthy)
    broken[3, 5] = False
    recording = recording._replace(healthy=broken)
    found = find(layout.programs[0], recording, NOT_FINITE, iteration=1, slot=0)
    assert found is not None and (found.copy, found.step) == (5, 3)
    assert replay(found) is None


def test_evidence_that_is_not_is_refused(learner: Learner) -> None:
    good = evidence_of(learner, 500, 1)
    plain = to_json(good)
    for field, value in (
        *(("source", "import os"), ("source", "\0"), ("program_hash", "0" * 16)),
        *(("seed", [1]), ("seed", [1, 2**40]), ("params", []), ("params", ["x"]), ("params", None)),
        *(("actions", [[1, 2]]), ("actions", [1]), ("actions", [[2**40]]), ("actions", "no")),
        *(("start", []), ("start", {"t": 1}), ("start", plain["start"] | {"t": [1]})),
        *(("start", plain["start"] | {"fields": 3}), ("fault", "odd"), ("step", "1")),
    ):
        with pytest.raises(ValueError):
            replay(read_evidence(plain | {field: value}))
    with pytest.raises(ValueError, match="no field 'more'"):
        read_evidence(plain | {"more": 1})
    other = dataclasses.replace(good, actions=((0,),) * len(good.actions))
    assert replay(other) is None
