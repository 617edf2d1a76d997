"""What programs mean: stores, arithmetic and truth. Expected values are worked out by hand."""

from __future__ import annotations

import math

import numpy as np
from small_programs import (
    DOWN,
    FLOAT,
    INT,
    STAY,
    UP,
    calculate,
    field,
    play,
    program,
)


def test_stores_to_fields_saturate_and_locals_do_not() -> None:
    state, _ = play(
        program(
            """
            top: Int(0, 5)
            low: Int(-3, 5)
            real: Float(1.0, 7.0) = 2.0
            vector: Vec2(-1.0, 1.0)
            place: Pos
            far: Pos
            local: Int(0, 99)
            """,
            """
            x = 9
            s.top = x
            s.local = x + 1
            s.low -= 100
            s.real += 100.0
            s.vector = Vec2(-8.0, 0.25)
            s.place = Pos(100, -100)
            s.far = Pos(-100, 100)
            """,
        )
    )
    assert field(state, "top") == 5 and field(state, "local") == 10 and field(state, "low") == -3
    assert field(state, "real") == 7.0 and field(state, "vector") == [-1.0, 0.25]
    # a 3 x 4 board: rows -3..5, columns -4..7
    assert field(state, "place") == [5, -4] and field(state, "far") == [-3, 7]
    assert not state.fault.any()


def test_a_zero_outside_the_range_starts_at_the_nearest_bound() -> None:
    state, _ = play(program("a: Int(2, 5)\nb: Float(-4.0, -1.0)", "s.a = s.a\ns.b = s.b"))
    assert (field(state, "a"), field(state, "b")) == (2, -1.0)


def test_nan_becomes_the_lower_bound_and_a_fault() -> None:
    fields = "real: Float(1.0, 7.0)\nvector: Vec2(-1.0, 1.0)"
    nan = "nan = exp(100.0) * s.t\n"
    store = nan + "if act.move == UP:\n    s.real = nan\nif act.move == DOWN:\n    s.vector.y = nan"
    state, _ = play(program(fields, store), [[STAY, UP, DOWN]], copies=3)
    assert state.fault.tolist() == [False, True, True]
    assert state.fields["real"].tolist() == [1.0, 1.0, 1.0]
    assert state.fields["vector"].tolist() == [[0.0, 0.0], [0.0, 0.0], [0.0, -1.0]]


def test_infinity_saturates_without_a_fault() -> None:
    state, _ = play(program("real: Float(0.0, 7.0)", "s.real = exp(100.0)"))
    assert field(state, "real") == 7.0 and not state.fault[0]


def test_components_are_stored_alone() -> None:
    state, _ = play(
        program(
            "p: Pos = Pos(1, 2)\nv: Vec2(-4.0, 4.0)\nq: Array(Pos, 2)",
            "s.p.row = 0\ns.p.col += 1\ns.v.x = 1.5\ns.v.y -= 9.0\ns.q[1].col = 3",
        )
    )
    assert field(state, "p") == [0, 3] and field(state, "v") == [1.5, -4.0]
    assert field(state, "q") == [[0, 0], [0, 3]]


def test_grids_read_outside_off_the_board_and_drop_stores_there() -> None:
    state, _ = play(
        program(
            """
            board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
            off: Bool
            plain: Bool
            on: Bool
            """,
            """
            gone = Pos(-1, 0)
            s.board[gone] = Tile.EXIT
            s.board[Pos(2, 4)] = Tile.EXIT
            s.board[Pos(2, 3)] = Tile.EXIT
            s.off = s.board[gone] == Tile.WALL and s.board[Pos(3, 0)] == Tile.WALL
            copy = where(at(Pos(0, 0)), Tile.WALL, s.board)
            s.plain = copy[gone] == Tile.FLOOR
            s.on = s.board[Pos(2, 3)] == Tile.EXIT
            """,
        )
    )
    assert field(state, "board") == [[0] * 4, [0] * 4, [0, 0, 0, 2]]
    assert field(state, "off") and field(state, "plain") and field(state, "on")


def test_arrays_read_zero_out_of_range_and_drop_stores_there() -> None:
    state, _ = play(
        program(
            "a: Array(Int(0, 9), 3) = 7\nlow: Int(-9, 9)\nhigh: Int(-9, 9)\nmid: Int(-9, 9)\n"
            "fixed: Int(-9, 9)",
            """
            i = s.t - 1
            j = s.t + 3
            s.a[i] = 1
            s.a[j] = 2
            s.a[s.t + 2] = 3
            s.a[7] = 4
            s.low = s.a[i]
            s.high = s.a[j]
            s.mid = s.a[j - 1]
            s.fixed = s.a[3]
            """,
        )
    )
    assert field(state, "a") == [7, 7, 3]
    assert [field(state, n) for n in ("low", "high", "mid", "fixed")] == [0, 0, 3, 0]


def test_arrays_by_enum_and_whole_array_copies() -> None:
    state, _ = play(
        program(
            "a: Array(Int(0, 9), Tile)\nb: Array(Int(0, 5), Tile)",
            "s.a[Tile.WALL] = 4\nfor t in Tile:\n    s.a[t] += 2\ns.b = s.a",
        )
    )
    assert field(state, "a") == [2, 6, 2] and field(state, "b") == [2, 5, 2]


def test_locals_copy_by_value() -> None:
    state, _ = play(
        program(
            "board: Grid(Tile) = Tile.FLOOR\nwas: Bool\nis_now: Bool",
            """
            old = s.board
            s.board[Pos(1, 1)] = Tile.WALL
            s.was = old[Pos(1, 1)] == Tile.FLOOR
            s.is_now = s.board[Pos(1, 1)] == Tile.WALL
            """,
        )
    )
    assert field(state, "was") and field(state, "is_now")


def test_swap_exchanges_cells_and_needs_both_on_the_board() -> None:
    state, _ = play(
        program(
            "board: Grid(Int(0, 9)) = 0",
            """
            s.board[Pos(0, 0)] = 5
            s.board[Pos(1, 1)] = 6
            swap(s.board, Pos(0, 0), Pos(2, 3))
            swap(s.board, Pos(1, 1), Pos(1, 4))
            swap(s.board, Pos(1, 1), Pos(1, 1))
            """,
        )
    )
    assert field(state, "board") == [[0, 0, 0, 0], [0, 6, 0, 0], [0, 0, 0, 5]]


def test_division_by_zero_gives_zero() -> None:
    setup = "n = s.t\nx = 0.5 * n"
    assert calculate(INT, "7 // n", "7 % n", "n // n", setup=setup) == [0, 0, 0]
    assert calculate(FLOAT, "7.0 / x", "7.0 // x", "7.0 % x", "7 / n", setup=setup) == [0.0] * 4
    assert calculate("Vec2(-9.0, 9.0)", "Vec2(1.0, 2.0) / x", setup=setup) == [[0.0, 0.0]]


def test_division_and_remainder_have_pythons_signs() -> None:
    setup = "n = s.t + 7\nm = s.t + 2\nk = s.t + 3"
    ints = ["-n // m", "n // -m", "-n // -m", "-n % k", "n % -k", "-n % -k", "-6 % k"]
    assert calculate(INT, *ints, setup=setup) == [-4, -4, 3, 2, -2, -1, 0]
    setup = "x = 7.5 + s.t\ny = 2.0 + s.t"
    floats = ["-x // y", "x // y", "-x % y", "x % -y", "7 / 2", "1.0 // 0.1"]
    assert calculate(FLOAT, *floats, setup=setup) == [-4.0, 3.0, 0.5, -0.5, 3.5, 9.0]


def test_ints_wrap_and_floats_clamp_to_ints() -> None:
    # Fields saturate just below the limits, so the limits are told apart by what is added to them.
    setup = "top = 2147483647 + s.t\nbig = 1e20 + s.t\nnan = exp(100.0) * s.t"
    got = calculate(
        INT,
        "(top + 1) // 4096",  # -2^31 // 2^12
        "top * 2 + 3",  # -2 + 3
        "floor(big) - 2147483640",
        "floor(-big) + 2147483640",
        "round(nan) + floor(nan)",
        "floor(-0.5)",
        "round(2.5)",
        "round(3.5)",
        "round(-2.5)",
        "abs(-7)",
        setup=setup,
    )
    assert got == [-(2**19), 1, 7, -8, 0, -1, 2, 4, -2, 7]


def test_mathematics() -> None:
    got = calculate(
        FLOAT,
        "sqrt(9.0)",
        "sqrt(-9.0)",
        "sin(0.5)",
        "cos(0.5)",
        "exp(0.5)",
        "tanh(0.5)",
        "lerp(2.0, 4.0, 0.25)",
        "sign(-0.5)",
        "clip(9.0, 0.0, 5.0)",
        "min(3.0, 1, 2.0)",
        "max(3.0, 1, 2.0)",
    )
    want = [3, 0, math.sin(0.5), math.cos(0.5), math.exp(0.5), math.tanh(0.5), 2.5, -1, 5, 1, 3]
    np.testing.assert_allclose(got, want, rtol=1e-6)
    ints = calculate(INT, "sign(-3)", "sign(s.t)", "clip(9, 0, 5)", "min(3, 1, 2)", "opponent(0)")
    assert ints == [-1, 0, 5, 1, 1]


def test_comparisons_and_truth() -> None:
    setup = "n = s.t + 2\np = Pos(1, 2)\nd = LEFT\nv = Vec2(1.0, 2.0)"
    true = [
        "n < 3 and n <= 2 and n > 1 and n >= 2",
        "n == 2 and n != 3 and n == 2.0",
        "p == Pos(1, 2) and p != Pos(1, 3) and p != Pos(2, 2)",
        "d == LEFT and d != RIGHT",
        "v == Vec2(1.0, 2.0) and v != Vec2(1.0, 2.5)",
        "not (n > 2) and (n > 2 or n == 2)",
        "(1 if n > 5 else 7) == 7",
    ]
    assert calculate("Bool", *true, setup=setup) == [True] * len(true)
