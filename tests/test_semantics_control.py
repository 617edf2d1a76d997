"""What programs mean: branches, loops and helpers. Expected values are worked out by hand."""

from __future__ import annotations

from small_programs import (
    DOWN,
    LEFT,
    STAY,
    UP,
    field,
    play,
    program,
)


def test_branches_are_taken_copy_by_copy() -> None:
    state, _ = play(
        program(
            "a: Int(0, 9)\nb: Int(0, 9)",
            """
            x = 0
            if act.move == UP:
                x = 1
                s.a = 1
            elif act.move == DOWN:
                x = 2
            else:
                if act.move == LEFT:
                    x = 3
                s.a = 5
            s.b = x
            """,
        ),
        [[STAY, UP, DOWN, LEFT]],
        copies=4,
    )
    assert state.fields["a"].tolist() == [5, 1, 0, 5]
    assert state.fields["b"].tolist() == [0, 1, 2, 3]


def test_break_and_continue() -> None:
    # i = 0..9 without 3; up to and with (7, or 4 for UP), as the sum of 10^0 * i and of trips
    state, _ = play(
        program(
            "sum: Int(0, 99)\ntrips: Int(0, 99)",
            """
            limit = 4 if act.move == UP else 7
            for i in range(10):
                s.trips += 1
                if i == 3:
                    continue
                s.sum += i
                if i >= limit:
                    break
            """,
        ),
        [[STAY, UP]],
        copies=2,
    )
    assert state.fields["sum"].tolist() == [28 - 3, 10 - 3]
    assert state.fields["trips"].tolist() == [8, 5]


def test_break_leaves_the_inner_loop_only() -> None:
    state, _ = play(
        program(
            "n: Int(0, 99)\nlast: Int(-99, 99)",
            """
            for i in range(3):
                for j in range(5):
                    if j > i:
                        break
                    s.n += 1
                s.last = i
            for k in range(8, -7, -5):
                s.last = s.last * 10 + k
            """,
        )
    )
    # 1 + 2 + 3 trips; 2 -> 28 -> 283 saturates at 99 -> 988 saturates at 99, with k = 8, 3, -2
    assert field(state, "n") == 6 and field(state, "last") == 99


def test_return_ends_the_step() -> None:
    state, _ = play(
        program(
            "n: Int(0, 99)\nend: Bool",
            """
            for i in range(6):
                if i == 2 and act.move == UP:
                    return
                s.n += 1
            if act.move == DOWN:
                return
            s.end = True
            """,
        ),
        [[STAY, UP, DOWN]],
        copies=3,
    )
    assert state.fields["n"].tolist() == [6, 2, 6]
    assert state.fields["end"].tolist() == [True, False, False]


HELPERS = """
def root(n):
    for i in range(20):
        if i * i >= n:
            return i
    return 99

def choose(n, d):
    best = 0
    if d == UP:
        return root(n)
    for i in range(3):
        best += root(n + i)
    return best
"""


def test_helpers_return_a_value_and_have_locals_of_their_own() -> None:
    step = """
    best = 5
    for k in range(2):
        s.a = choose(10 + k, act.move) + s.a
    s.b = root(900) + best
    """
    state, _ = play(
        program("a: Int(0, 999)\nb: Int(0, 999)", step, helpers=HELPERS), [[STAY, UP]], copies=2
    )
    # every root of 10..13 is 4: three roots twice, one root twice
    assert state.fields["a"].tolist() == [24, 8]
    assert field(state, "b") == 104


def test_locals_live_on_from_trip_to_trip() -> None:
    step = """
    prev = 1
    now = 1
    for i in range(10):
        new = prev + now
        prev = now
        now = new
    s.f = now
    """
    state, _ = play(program("f: Int(0, 999)", step))
    assert field(state, "f") == 144


def test_loops_over_directions_enums_and_seats() -> None:
    state, _ = play(
        program(
            "d4: Int(0, 99)\nd8: Int(0, 99)\ne: Int(0, 99)\nplace: Pos",
            """
            p = Pos(0, 0)
            for d in dirs4():
                if inside(p + d):
                    s.d4 += 1
                s.place = s.place + d
            for d in dirs8():
                if inside(p + d):
                    s.d8 += 1
            for t in Tile:
                if solid(t) or tagged(t, "goal"):
                    s.e = s.e * 10 + 1
                else:
                    s.e = s.e * 10 + 2
            """,
        )
    )
    assert [field(state, n) for n in ("d4", "d8", "e")] == [2, 3, 99]
    assert field(state, "place") == [0, 0]
