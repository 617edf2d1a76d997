"""What programs mean: reward, outcome, actions. Expected values are worked out by hand."""

from __future__ import annotations

import numpy as np
from small_programs import (
    DOWN,
    FLIP,
    LEFT,
    RIGHT,
    STAY,
    TAKE,
    UP,
    USE,
    field,
    play,
    program,
)

from envs_dsl.backends.state import DRAW, LOSE, NONE, SEAT, WIN


def test_the_first_outcome_wins_and_the_code_behind_it_runs() -> None:
    prog = program(
        "n: Int(0, 9)",
        "if act.move == UP:\n    win()\nif act.move == DOWN:\n    draw()\nlose()\ns.n = 7",
    )
    state, (one, two) = play(prog, [[STAY, UP, DOWN], [UP, DOWN, UP]], copies=3)
    assert state.outcome.tolist() == [LOSE, WIN, DRAW]
    assert state.fields["n"].tolist() == [7, 7, 7]
    assert one.reward[:, 0].tolist() == [-1.0, 1.0, 0.0]
    assert one.terminated.all() and not one.truncated.any()
    # it goes on, and pays no second time
    assert two.reward[:, 0].tolist() == [0.0, 0.0, 0.0] and two.terminated.all()


def test_an_episode_pays_at_most_one() -> None:
    # exact in binary: 0.75, then 0.75, then -0.5, then win
    step = """
    if act.move == UP:
        reward(0.75)
    if act.move == DOWN:
        reward(-0.25)
        reward(-0.25)
    if act.move == RIGHT:
        win()
    """
    state, outs = play(program("n: Int(0, 9)", step + "    s.n += 1"), [UP, UP, DOWN, RIGHT])
    assert [float(out.reward[0, 0]) for out in outs] == [0.75, 0.25, -0.5, 0.5]
    assert float(state.total[0, 0]) == 1.0 and float(state.score[0, 0]) == 2.0
    assert float(state.last_reward[0, 0]) == 0.5
    state, outs = play(program("n: Int(0, 9)", step + "    s.n += 1"), [DOWN] * 3)
    assert [float(out.reward[0, 0]) for out in outs] == [-0.5, -0.5, 0.0]
    assert float(state.score[0, 0]) == -1.5


def test_a_nan_reward_counts_as_nothing_and_is_a_fault() -> None:
    step = "nan = exp(100.0) * s.t\nreward(0.25)\nif act.move == UP:\n    reward(nan)\ns.n += 1"
    state, (out,) = play(program("n: Int(0, 9)", step), [[STAY, UP]], copies=2)
    assert out.reward[:, 0].tolist() == [0.25, 0.25] and state.fault.tolist() == [False, True]
    step = "reward(exp(100.0))\nreward(-2.0 * exp(100.0))\ns.n += 1"
    state, (out,) = play(program("n: Int(0, 9)", step))
    assert np.isfinite(out.reward).all() and np.isfinite(state.score).all()


TWO = "size=(3, 4), max_steps=9, players=2"


def test_a_contest_is_zero_sum() -> None:
    step = """
    for i in players():
        if acts[i].move == UP:
            reward(0.25, i)
        if acts[i].move == RIGHT:
            win(i)
        if acts[i].move == LEFT:
            win(opponent(i))
        if acts[i].move == DOWN:
            draw()
    s.n += 1
    """
    prog = program("n: Int(0, 9)", step, game=TWO)
    actions = [[UP, STAY], [UP, UP], [STAY, RIGHT], [STAY, LEFT], [RIGHT, RIGHT], [DOWN, UP]]
    state, (out,) = play(prog, [actions], copies=6)
    assert out.reward.tolist() == [
        [0.25, -0.25],
        [0.0, 0.0],
        [-1.0, 1.0],
        [1.0, -1.0],
        [1.0, -1.0],
        [-0.25, 0.25],
    ]
    assert state.outcome.tolist() == [NONE, NONE, SEAT + 1, SEAT, SEAT, DRAW]


def test_a_contest_of_three_shares_the_loss() -> None:
    step = """
    for i in players():
        if acts[i].move == UP:
            reward(0.5, i)
    if s.t > 5:
        win(2)
    s.n += 1
    """
    prog = program("n: Int(0, 9)", step, game="size=(3, 4), max_steps=9, players=3")
    _, outs = play(prog, [[STAY, UP, STAY]] + [[STAY] * 3] * 6)
    assert outs[0].reward[0].tolist() == [-0.25, 0.5, -0.25]
    # seat 0 has no more than 0.75 left to lose
    assert outs[6].reward[0].tolist() == [-0.75, -1.0, 1.0] and outs[6].terminated[0]


def test_cooperation_shares_the_outcome() -> None:
    step = """
    if acts[0].move == UP:
        reward(0.25)
    if acts[1].move == UP:
        reward(0.5, 1)
    if acts[1].move == DOWN:
        win()
    if acts[1].move == LEFT:
        lose()
    s.n += 1
    """
    prog = program("n: Int(0, 9)", step, game=TWO)
    actions = [[UP, STAY], [STAY, UP], [STAY, DOWN], [UP, LEFT]]
    state, (out,) = play(prog, [actions], copies=4)
    assert out.reward.tolist() == [[0.25, 0.25], [0.0, 0.5], [1.0, 1.0], [-0.75, -0.75]]
    assert state.outcome.tolist() == [NONE, NONE, WIN, LOSE]


def test_a_seat_that_does_not_exist_is_nobody() -> None:
    step = """
    i = s.t + 2
    reward(0.5, i)
    if s.t == 0:
        win(i)
    if acts[i].move == UP:
        s.n = 5
    s.n += 1
    """
    state, (out,) = play(program("n: Int(0, 9)", step, game=TWO), [[UP, UP]])
    assert out.reward.tolist() == [[0.0, 0.0]] and state.outcome.tolist() == [NONE]
    assert field(state, "n") == 1


def test_clock_truncation_and_last_action() -> None:
    prog = program(
        "seen: Int(0, 99)",
        "s.seen = s.t\nif s.t >= 4 and act.move == UP:\n    win()",
        game="size=(3, 4), max_steps=3",
    )
    state, outs = play(prog, [RIGHT, STAY, LEFT])
    assert field(state, "seen") == 2 and state.t.tolist() == [3]
    assert [bool(out.truncated[0]) for out in outs] == [False, False, True]
    assert not any(out.terminated[0] for out in outs) and state.last_action.tolist() == [[LEFT]]
    _, outs = play(prog, [STAY] * 4 + [UP])
    assert bool(outs[3].truncated[0]) and not outs[4].truncated[0] and bool(outs[4].terminated[0])


def test_illegal_actions_stay_and_are_counted() -> None:
    prog = program(
        "moved: Bool\nused: Bool\nflipped: Bool",
        "s.moved = act.move != STAY\ns.used = act.use\ns.flipped = act.flip",
        game='size=(3, 4), max_steps=9, verbs=["use", "flip"]',
    )
    actions = [STAY, DOWN, USE, TAKE, FLIP, 20, -1, 2**31 - 1]
    state, _ = play(prog, [actions], copies=8)
    assert state.fields["moved"].tolist() == [False, True] + [False] * 6
    assert state.fields["used"].tolist() == [False, False, True] + [False] * 5
    assert state.fields["flipped"].tolist() == [False] * 4 + [True] + [False] * 3
    assert state.illegal.tolist() == [0, 0, 0, 1, 0, 1, 1, 1]
    assert state.last_action[:, 0].tolist() == [STAY, DOWN, USE, STAY, FLIP, STAY, STAY, STAY]
