"""What programs mean: parameters, draws and the view. Expected values come from theory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_programs import (
    STAY,
    UP,
    field,
    play,
    program,
)

from envs_dsl import Program
from envs_dsl.backends import numpy_backend


def test_parameters_reach_the_program_and_int_ones_are_rounded() -> None:
    head = "N = Param(2, 0, 9)\nX = Param(0.5, 0.0, 9.0)\n"
    prog = program("n: Int(0, 9)\nx: Float(0.0, 9.0)", "s.n = N\ns.x = X", head=head)
    state, _ = play(prog)
    assert (field(state, "n"), field(state, "x")) == (2, 0.5)
    state, _ = play(prog, params=[6.75, 6.75])
    assert (field(state, "n"), field(state, "x")) == (7, 6.75)


COPIES = 4096


def sample(kind: str, expression: str, setup: str = "") -> np.ndarray:
    """One draw in each of 4,096 copies."""
    step = f"{setup}\ns.x = {expression}" if setup else f"s.x = {expression}"
    state, _ = play(program(f"x: {kind}", step), copies=COPIES)
    return state.fields["x"]


def chi_square(counts: np.ndarray) -> float:
    """Distance of the counts from equal ones, in units of the degrees of freedom's deviation."""
    expected = counts.sum() / len(counts)
    value = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    return (value - freedom) / math.sqrt(2 * freedom)


def test_whole_numbers_include_both_bounds() -> None:
    values = sample("Int(-9, 9)", "randint(-3, 3)")
    counts = np.bincount(values + 3)
    assert len(counts) == 7 and chi_square(counts) < 5
    assert set(sample("Int(-9, 9)", "randint(4, 4)").tolist()) == {4}
    assert set(sample("Int(-9, 9)", "randint(4, 2)").tolist()) == {4}
    wide = sample("Int(-1000000, 1000000)", "randint(-2147483648, 2147483647) // 4096")
    assert abs((wide < 0).mean() - 0.5) < 0.04 and len(set(wide.tolist())) > 3500


def test_reals() -> None:
    values = sample("Float(-9.0, 9.0)", "rand()")
    assert values.min() >= 0 and values.max() < 1
    assert chi_square(np.histogram(values, 16, (0, 1))[0]) < 5
    values = sample("Float(-9.0, 9.0)", "uniform(-2.0, 4.0)")
    assert values.min() >= -2 and values.max() <= 4
    assert chi_square(np.histogram(values, 16, (-2, 4))[0]) < 5
    values = sample("Float(-99.0, 99.0)", "normal()")
    # mean 0 ± 5 / sqrt(4096), variance 1 ± 5 * sqrt(2 / 4096)
    assert abs(values.mean()) < 0.08 and abs(values.var() - 1) < 0.11
    values = sample("Float(-99.0, 99.0)", "normal(10.0, 3.0)")
    assert abs(values.mean() - 10) < 0.24 and abs(values.std() - 3) < 0.2


def test_chances_and_directions() -> None:
    assert not sample("Bool", "chance(0.0)").any() and sample("Bool", "chance(1.0)").all()
    assert abs(sample("Bool", "chance(0.25)").mean() - 0.25) < 0.034  # 5 sigma
    counts = np.bincount(sample("Dir", "random_dir()"), minlength=9)
    assert counts[0] == 0 == counts[5:].sum() and chi_square(counts[1:5]) < 5
    grid = sample("Grid(Bool)", "chance_grid(where(ROW == 0, 0.0, 0.25))")
    assert not grid[:, 0].any()
    rates = grid[:, 1:].mean(axis=0)
    assert np.abs(rates - 0.25).max() < 0.034


def test_random_cells_are_uniform_under_the_mask() -> None:
    cells = sample("Pos", "random_cell(BORDER and COL != 1)")
    counts = np.zeros((3, 4), int)
    np.add.at(counts, (cells[:, 0], cells[:, 1]), 1)
    mask = np.array([[1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1, 1]], bool)
    assert counts[~mask].sum() == 0 and chi_square(counts[mask]) < 5


def test_an_empty_mask_gives_no_cell_and_a_fault_on_its_path_only() -> None:
    step = "p = Pos(0, 0)\nif act.move == UP:\n    p = random_cell(ROW > 5)\ns.p = p"
    state, _ = play(program("p: Pos", step), [[STAY, UP]], copies=2)
    assert state.fields["p"].tolist() == [[0, 0], [-1, -1]]
    assert state.fault.tolist() == [False, True]


def test_every_draw_of_a_step_is_another_one() -> None:
    state, _ = play(
        program(
            "a: Array(Int(0, 1000000), 12)\nb: Array(Int(0, 1000000), 2)",
            """
            for i in range(3):
                for j in range(4):
                    s.a[i * 4 + j] = randint(0, 1000000)
            s.b[0] = randint(0, 1000000)
            s.b[1] = randint(0, 1000000)
            """,
        ),
        [STAY, STAY],
    )
    assert len(set(field(state, "a") + field(state, "b"))) == 14
    one, _ = play(program("x: Float(0.0, 1.0)", "s.x = rand()"), [STAY])
    two, _ = play(program("x: Float(0.0, 1.0)", "s.x = rand()"), [STAY, STAY])
    assert field(one, "x") != field(two, "x")


def test_draws_of_reset_are_not_those_of_the_first_step() -> None:
    prog = program("x: Float(0.0, 1.0)\ny: Float(0.0, 1.0)", "s.y = rand()", "s.x = rand()")
    state, _ = play(prog, copies=64)
    share = np.corrcoef(state.fields["x"], state.fields["y"])[0, 1]
    assert abs(share) < 0.6


@pytest.mark.parametrize("copies", [1, 3])
def test_view_draws_shapes_in_order(copies: int) -> None:
    text = '''"""Look at the shapes that this program draws."""
game = Game(size=(4, 4), max_steps=9)

class State:
    p: Vec2(-2.0, 2.0)

def reset(s):
    s.p = Vec2(1.0, 0.5)

def step(s, act):
    s.p += vec(act.move)
    if s.p.x > 1.5:
        win()

def view(s):
    ring(Vec2(0.0, 0.0), 1.5, "white")
    for i in range(5):
        if s.p.x > 0.5 and i == 3:
            disc(s.p, 0.25, 4)
    bar(s.p, Vec2(0.0, 1.0), "red")
'''
    prog = Program.from_source(text)
    back = numpy_backend(prog)
    constants = back.constants(prog)
    state = back.reset(
        constants, np.zeros((copies, 2), np.int32), np.zeros((copies, 0), np.float32)
    )
    shapes = back.view(constants, state)
    assert [shape.kind for shape in shapes] == ["ring", "disc", "bar"]
    ring, disc, bar = shapes
    assert ring.args[1].tolist() == [1.5] and ring.color == 3 and ring.seat is None
    assert disc.args[0].tolist() == [[1.0, 0.5]] * copies and disc.seat.tolist() == [4]
    assert bar.color == 4 and bar.args[1].tolist() == [[0.0, 1.0]] and bar.mask is None
