"""What programs mean: positions, vectors and grids. Expected values are worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from small_programs import (
    DOWN,
    DOWN_LEFT,
    DOWN_RIGHT,
    FLOAT,
    INT,
    LEFT,
    RIGHT,
    STAY,
    UP,
    UP_LEFT,
    calculate,
    field,
    play,
    program,
)


def test_directions() -> None:
    assert calculate(
        "Dir",
        "opposite(UP)",
        "turn_left(UP)",
        "turn_right(UP)",
        "turn_left(LEFT)",
        "opposite(UP_LEFT)",
        "turn_left(UP_LEFT)",
        "turn_right(DOWN_LEFT)",
        "opposite(STAY)",
    ) == [DOWN, LEFT, RIGHT, DOWN, DOWN_RIGHT, DOWN_LEFT, UP_LEFT, STAY]


def test_runtime_directions_turn_like_constants() -> None:
    move = "\n".join(
        ["s.o = opposite(act.move)", "s.l = turn_left(act.move)", "s.r = turn_right(act.move)"]
    )
    state, _ = play(program("o: Dir\nl: Dir\nr: Dir", move), [[0, 1, 2, 3, 4]], copies=5)
    assert state.fields["o"].tolist() == [STAY, DOWN, UP, RIGHT, LEFT]
    assert state.fields["l"].tolist() == [STAY, LEFT, RIGHT, DOWN, UP]
    assert state.fields["r"].tolist() == [STAY, RIGHT, LEFT, UP, DOWN]


def test_toward_takes_the_longer_gap_and_rows_on_a_tie() -> None:
    setup = "p = Pos(5, 5)"
    assert calculate(
        "Dir",
        "toward(p, Pos(4, 6))",
        "toward(p, Pos(6, 4))",
        "toward(p, Pos(6, 7))",
        "toward(p, Pos(5, 1))",
        "toward(p, p)",
        "away(p, Pos(4, 6))",
        "away(p, p)",
        setup=setup,
    ) == [UP, DOWN, RIGHT, LEFT, STAY, DOWN, STAY]


def test_distances_and_cells() -> None:
    setup = "p = Pos(1, 1)"
    assert calculate(
        INT,
        "manhattan(p, Pos(-1, 4))",
        "chebyshev(p, Pos(-1, 4))",
        "p.row * 10 + p.col",
        setup=setup,
    ) == [5, 3, 11]
    assert calculate(
        "Bool",
        "inside(Pos(2, 3))",
        "inside(Pos(3, 0))",
        "inside(Pos(0, -1))",
        "adjacent(p, Pos(1, 2))",
        "adjacent(p, Pos(2, 2))",
        "adjacent(p, p)",
        setup=setup,
    ) == [True, False, False, True, False, False]
    assert calculate("Pos", "p + UP_LEFT", "p - DOWN", "p + STAY", setup=setup) == [
        [0, 0],
        [0, 1],
        [1, 1],
    ]


def test_vectors_point_right_and_down_from_the_centre() -> None:
    assert calculate("Vec2(-9.0, 9.0)", "vec(UP)", "vec(RIGHT)", "vec(DOWN_LEFT)") == [
        [0.0, -1.0],
        [1.0, 0.0],
        [-1.0, 1.0],
    ]
    # a 3 x 4 board: the centre is row 1.5, column 2
    assert calculate(
        "Pos", "cell(Vec2(0.0, 0.0))", "cell(Vec2(-2.0, -1.6))", "cell(Vec2(1.9, 1.4))"
    ) == [
        [1, 2],
        [-1, 0],
        [2, 3],
    ]
    v = "v = Vec2(3.0, -4.0)"
    got = calculate(FLOAT, "length(v)", "dot(v, Vec2(2.0, 1.0))", "v.x", "(2 * v).y", setup=v)
    assert got == [5.0, 2.0, 3.0, -8.0]
    got = calculate(
        "Vec2(-9.0, 9.0)",
        "normalize(v)",
        "normalize(Vec2(0.0, 0.0))",
        "unit(1.0)",
        "rotate(v, 1.0)",
        "v / 2",
        "v - Vec2(1.0, 1.0)",
        "-v",
        setup=v,
    )
    sin, cos = math.sin(1), math.cos(1)
    want = [[0.6, -0.8], [0, 0], [cos, sin], [3 * cos + 4 * sin, 3 * sin - 4 * cos]]
    np.testing.assert_allclose(got, [*want, [1.5, -2], [2, -5], [-3, 4]], rtol=1e-5, atol=1e-6)


def draw(*expressions: str, kind: str = "Bool", setup: str = "", size: str = "3, 4") -> list[Any]:
    """Values of grid expressions, through hidden fields."""
    kind = {"Int": "Int(-99, 99)"}.get(kind, kind)
    fields = "\n".join(f"g{i}: Hidden(Grid({kind}))" for i in range(len(expressions)))
    step = "\n".join([setup, *(f"s.g{i} = {e}" for i, e in enumerate(expressions))])
    state, _ = play(program(fields, step, game=f"size=({size}), max_steps=9"))
    return [state.fields[f"g{i}"][0].astype(int).tolist() for i in range(len(expressions))]


def test_shapes_on_the_board() -> None:
    at, rect, disk, border, off, none = draw(
        "at(Pos(1, 2))",
        "rect(Pos(2, 1), Pos(1, -5))",
        "disk(Pos(0, 0), 1.5)",
        "BORDER",
        "at(Pos(1, 4))",
        "disk(Pos(1, 1), -1)",
    )
    assert at == [[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert rect == [[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    assert disk == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert border == [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    assert off == none == [[0] * 4] * 3
    row, col, mixed = draw("ROW", "COL", "where(ROW == 1, 7, -COL)", kind="Int")
    assert row == [[0] * 4, [1] * 4, [2] * 4] and col == [[0, 1, 2, 3]] * 3
    assert mixed == [[0, -1, -2, -3], [7] * 4, [0, -1, -2, -3]]


def test_a_whole_grid_takes_one_value() -> None:
    state, _ = play(program("board: Grid(Tile) = Tile.FLOOR", "s.board = Tile.EXIT"))
    assert field(state, "board") == [[2] * 4] * 3


def test_shift_moves_zero_in() -> None:
    setup = "n = ROW * 4 + COL + 1"
    down, left, diagonal, stay = draw(
        "shift(n, DOWN)",
        "shift(n, LEFT)",
        "shift(n, UP_RIGHT)",
        "shift(n, STAY)",
        kind="Int",
        setup=setup,
    )
    assert down == [[0, 0, 0, 0], [1, 2, 3, 4], [5, 6, 7, 8]]
    assert left == [[2, 3, 4, 0], [6, 7, 8, 0], [10, 11, 12, 0]]
    assert diagonal == [[0, 5, 6, 7], [0, 9, 10, 11], [0, 0, 0, 0]]
    assert stay == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    state, _ = play(
        program("g: Grid(Int(0, 99))", "s.g = shift(ROW * 4 + COL + 1, act.move)"),
        [[UP, RIGHT, STAY]],
        copies=3,
    )
    up, right, stay = state.fields["g"].tolist()
    assert up == [[5, 6, 7, 8], [9, 10, 11, 12], [0, 0, 0, 0]]
    assert right == [[0, 1, 2, 3], [0, 5, 6, 7], [0, 9, 10, 11]]
    assert stay == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]


def test_neighbours() -> None:
    four, eight = draw(
        "neighbors4(at(Pos(0, 1)) or at(Pos(2, 1)))",
        "neighbors8(at(Pos(0, 1)) or at(Pos(2, 1)))",
        kind="Int",
    )
    assert four == [[1, 0, 1, 0], [0, 2, 0, 0], [1, 0, 1, 0]]
    assert eight == [[1, 0, 1, 0], [2, 2, 2, 0], [1, 0, 1, 0]]


def test_flood_and_distance() -> None:
    # . . # .      k moves from the corner through what is passable; the start counts in any case
    # # . # .
    # . . . .
    setup = "wall = at(Pos(0, 2)) or at(Pos(1, 2)) or at(Pos(1, 0))\nstart = at(Pos(0, 0))"
    two, all_, blocked = draw(
        "flood(start, not wall, 2)",
        "flood(start, not wall, 20)",
        "flood(start, wall, 3)",
        setup=setup,
    )
    assert two == [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert all_ == [[1, 1, 0, 1], [0, 1, 0, 1], [1, 1, 1, 1]]
    assert blocked == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    near, far = draw(
        "distance(start, not wall, 3)", "distance(start, not wall, 9)", kind="Int", setup=setup
    )
    assert near == [[0, 1, 4, 4], [4, 2, 4, 4], [4, 3, 4, 4]]
    assert far == [[0, 1, 10, 7], [10, 2, 10, 6], [4, 3, 4, 5]]


def test_reductions() -> None:
    setup = "m = COL == 3\nn = ROW * 4 + COL"
    assert calculate(INT, "count(m)", "total(n)", setup=setup) == [3, 66]
    assert calculate(FLOAT, "total(0.5 * n)", setup=setup) == [33.0]
    assert calculate(
        "Bool", "any(m)", "all(m)", "any(m and ROW > 2)", "all(m or COL < 3)", setup=setup
    ) == [True, False, False, True]


def test_nearest_and_largest_cells_take_the_first_on_a_tie() -> None:
    assert calculate(
        "Pos",
        "nearest(BORDER, Pos(1, 1))",
        "nearest(COL == 3, Pos(1, 0))",
        "nearest(ROW == 2, Pos(-40, 40))",
        "nearest(ROW == 7, Pos(1, 1))",
        "argmax_cell(where(COL == 2, 5, 1))",
        "argmax_cell(0.0 * COL)",
        "argmax_cell(ROW - COL)",
    ) == [[0, 1], [1, 3], [2, 3], [-1, -1], [0, 2], [0, 0], [2, 0]]


def test_slide_stops_before_what_is_not_in_the_mask() -> None:
    setup = "free = not at(Pos(1, 3))"
    assert calculate(
        "Pos",
        "slide(Pos(1, 0), RIGHT, free)",
        "slide(Pos(0, 0), RIGHT, free)",
        "slide(Pos(2, 1), UP_LEFT, free)",
        "slide(Pos(1, 1), STAY, free)",
        "slide(Pos(1, 2), RIGHT, free)",
        "slide(Pos(-1, 0), DOWN, free)",
        setup=setup,
    ) == [[1, 2], [0, 3], [1, 0], [1, 1], [1, 2], [2, 0]]


def test_sees_asks_the_cells_strictly_between() -> None:
    setup = "free = not (at(Pos(1, 2)) or at(Pos(0, 0)))"
    assert calculate(
        "Bool",
        "sees(Pos(1, 0), Pos(1, 3), free)",
        "sees(Pos(1, 0), Pos(1, 2), free)",
        "sees(Pos(0, 0), Pos(2, 2), free)",
        "sees(Pos(2, 1), Pos(0, 3), free)",
        "sees(Pos(1, 2), Pos(1, 2), free)",
        "sees(Pos(0, -3), Pos(0, 3), free)",
        setup=setup,
    ) == [False, True, True, False, True, False]
