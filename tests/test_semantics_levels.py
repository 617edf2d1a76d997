"""What programs mean: drawn levels, and level generators whose open cells are all joined."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from small_programs import field, play, program

from envs_dsl import Program, check
from envs_dsl.program import ProgramError

LEVEL = '''
LEVEL = Layout("""
    ####
    #.E#
    ####
""")
'''


def grids(expression: str, size: tuple[int, int], copies: int = 24) -> np.ndarray:
    """The Grid(Bool) that an expression gives, in each copy: bool[copies, H, W]."""
    game = f"size={size}, max_steps=9"
    state, _ = play(program("g: Grid(Bool)", f"s.g = {expression}", game=game), copies=copies)
    return state.fields["g"]


def joined(grid: np.ndarray) -> bool:
    """Whether all true cells hang together by moves."""
    return int(ndimage.label(grid)[1]) == 1


def border(grid: np.ndarray) -> np.ndarray:
    return np.concatenate([grid[0], grid[-1], grid[:, 0], grid[:, -1]])


SIZES = ((3, 3), (7, 9), (8, 12), (11, 4))


@pytest.mark.parametrize("size", SIZES)
def test_a_maze_joins_its_cells_by_exactly_one_path(size: tuple[int, int]) -> None:
    mazes = grids("maze()", size)
    nodes = ((size[0] - 1) // 2) * ((size[1] - 1) // 2)
    for maze in mazes:
        assert maze[1::2, 1::2][: (size[0] - 1) // 2, : (size[1] - 1) // 2].all()
        assert maze.sum() == 2 * nodes - 1  # a tree: one passage fewer than cells
        assert joined(maze) and not border(maze).any()
    if min(size) > 4:
        assert len({maze.tobytes() for maze in mazes}) > len(mazes) // 2


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 5])
def test_rooms_are_joined(size: tuple[int, int], count: int) -> None:
    for grid in grids(f"rooms({count})", size):
        assert joined(grid) and not border(grid).any()
    if count == 1:
        for grid in grids("rooms(1)", size):
            rows, cols = np.nonzero(grid)
            height, width = np.ptp(rows) + 1, np.ptp(cols) + 1
            assert height * width == grid.sum()
            assert height <= max(2, size[0] // 3) and width <= max(2, size[1] // 3)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_a_cave_hangs_together_with_the_centre(size: tuple[int, int], share: float) -> None:
    caves = grids(f"cave({share})", size)
    for cave in caves:
        assert cave[size[0] // 2, size[1] // 2] and joined(cave) and not border(cave).any()
    if share == 0.0:
        assert (caves.sum((1, 2)) == 1).all()
    if size == (8, 12) and share == 1.0:
        # a full interior keeps all but its four corners, which see four open cells of nine
        assert (caves.sum((1, 2)) == 6 * 10 - 4).all()


@pytest.mark.parametrize(
    "ends", [((1, 1), (5, 6)), ((4, 2), (0, 7)), ((3, 3), (3, 3)), ((2, 1), (2, 6))]
)
def test_a_corridor_joins_two_cells(ends: tuple[tuple[int, int], tuple[int, int]]) -> None:
    (p, q), size = ends, (6, 8)
    for grid in grids(f"carve(Pos{p}, Pos{q})", size):
        assert grid[p] and grid[q] and joined(grid)
        # never longer than the shortest way: every cell on it is a step nearer to the end
        assert grid.sum() == abs(p[0] - q[0]) + abs(p[1] - q[1]) + 1


def test_a_corridor_drops_cells_off_the_board() -> None:
    for grid in grids("carve(Pos(1, 1), Pos(1, 20))", (3, 4)):
        assert np.argwhere(grid).tolist() == [[1, 1], [1, 2], [1, 3]]


def test_a_layout_is_painted_with_the_enum_that_knows_its_glyphs() -> None:
    prog = program("board: Grid(Tile)", "pass", "s.board = paint(LEVEL)", head=LEVEL)
    state, _ = play(prog)
    assert field(state, "board") == [[1, 1, 1, 1], [1, 0, 2, 1], [1, 1, 1, 1]]


def test_layouts_are_hoisted() -> None:
    other = LEVEL.replace("#.E#", "#E.#")
    one, two = (
        program("board: Grid(Tile)", "pass", "s.board = paint(LEVEL)", head=head)
        for head in (LEVEL, other)
    )
    assert one.hashes.skeleton == two.hashes.skeleton
    assert one.hashes.program != two.hashes.program


@pytest.mark.parametrize(
    ("drawn", "code", "message"),
    [
        (LEVEL.replace("#.E#\n", ""), "E401", "the layout has 2 rows and the board 3"),
        (
            LEVEL.replace("#.E#", "#.E"),
            "E401",
            "row 2 of the layout has 3 cells and the board 4 columns",
        ),
        (LEVEL.replace("#.E#", "#.k#"), "E204", "no member of Tile has the glyph 'k'"),
        ("LEVEL = Layout(3)\n", "E308", "Layout takes one text"),
    ],
)
def test_faulty_layouts(drawn: str, code: str, message: str) -> None:
    with pytest.raises(ProgramError) as error:
        program("board: Grid(Tile)", "pass", "s.board = paint(LEVEL)", head=drawn)
    found = [(d.code, d.message) for d in error.value.diagnostics if d.severity == "error"]
    assert found == [(code, message)]


def test_a_layout_that_is_never_painted_is_reported() -> None:
    with pytest.raises(ProgramError, match=r"E604.*the layout LEVEL is never read"):
        program("board: Grid(Tile)", "pass", head=LEVEL)


def test_pick_takes_each_value_alike() -> None:
    prog = program("n: Int(0, 9)", "s.n = pick(2, 3, 7)")
    state, _ = play(prog, copies=3000)
    values, counts = np.unique(state.fields["n"], return_counts=True)
    assert values.tolist() == [2, 3, 7]
    # three binomials of 3,000 trials: five deviations are 129
    assert np.abs(counts - 1000).max() < 129


def test_pick_of_places_and_grids() -> None:
    step = "s.p = pick(Pos(0, 1), Pos(2, 3))\ns.g = pick(BORDER, at(Pos(1, 1)))"
    state, _ = play(program("p: Pos\ng: Grid(Bool)", step), copies=64)
    assert {tuple(p) for p in state.fields["p"].tolist()} == {(0, 1), (2, 3)}
    assert set(state.fields["g"].sum((1, 2)).tolist()) == {1, 10}


def test_pick_needs_values_of_one_type() -> None:
    with pytest.raises(ProgramError, match="E303"):
        program("n: Int(0, 9)", "s.n = pick(2, UP)")


ALTERNATE = '''"""Put the last of five stones on the pile; the seats take turns."""
game = Game(size=(3, 3), max_steps=20, players=2, turns="alternate", verbs=["drop", "use"])

class State:
    pile: Int(0, 9) = 0
    last: Int(0, 1) = 0

def reset(s):
    s.pile = 0

def step(s, act):
    if act.drop:
        s.pile += 1
        s.last = s.turn
    if act.use:
        s.pile += 2
        s.last = s.turn
    if s.pile >= 5:
        win(s.last)
'''
DROP, USE = 7, 5


def test_only_the_seat_on_turn_acts() -> None:
    prog = Program.from_source(ALTERNATE)
    # seat 0, 1, 0, 1: what the other seat chooses is not seen and is never illegal
    state, outs = play(prog, [[[DROP, USE]], [[USE, USE]], [[0, 99]], [[USE, USE]]])
    assert field(state, "pile") == 5 and field(state, "last") == 1
    assert outs[-1].terminated[0] and outs[-1].reward[0].tolist() == [-1.0, 1.0]
    assert state.illegal.tolist() == [0]
    assert state.last_action[0].tolist() == [0, USE]


def test_an_illegal_action_of_the_seat_on_turn_counts() -> None:
    state, _ = play(Program.from_source(ALTERNATE), [[[99, 0]], [[99, 8]]])
    assert state.illegal.tolist() == [2]


def test_only_waiting_is_legal_out_of_turn() -> None:
    from envs_dsl.backends import numpy_backend

    prog = Program.from_source(ALTERNATE)
    backend = numpy_backend(prog)
    constants = backend.constants(prog)
    state = backend.reset(constants, np.zeros((1, 2), np.int32), np.zeros((1, 0), np.float32))
    legal = backend.observe(constants, state).legal[0]
    assert np.flatnonzero(legal[0]).tolist() == [0, 1, 2, 3, 4, USE, DROP]
    assert np.flatnonzero(legal[1]).tolist() == [0]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('turns="alternate"', 'turns="chess"', "E204"),
        ("players=2, ", "", "E308"),
        ("def step(s, act):", "def step(s, acts):", "E111"),
        ("pile: Int(0, 9) = 0\n", "pile: Int(0, 9) = 0\n    turn: Int(0, 1) = 0\n", "E203"),
        ("s.pile = 0", "s.turn = 0", "E305"),
        (', turns="alternate"', "", "E111"),
    ],
)
def test_faulty_turns(old: str, new: str, code: str) -> None:
    found = check(ALTERNATE.replace(old, new, 1)).diagnostics
    assert code in [d.code for d in found]


def test_the_seat_on_turn_may_move_again() -> None:
    text = ALTERNATE.replace(
        "    if act.use:", "    if act.use and s.pile < 4:\n        again()\n    if act.use:"
    )
    # seat 0 uses and stays; then drops; seat 1 drops; seat 0 follows
    state, _ = play(Program.from_source(text), [[[USE, DROP]]])
    assert state.turn.tolist() == [0] and field(state, "pile") == 2
    state, _ = play(Program.from_source(text), [[[USE, 0]], [[DROP, 0]]])
    assert state.turn.tolist() == [1]
    state, _ = play(Program.from_source(text), [[[USE, 0]], [[DROP, 0]], [[0, DROP]]])
    assert state.turn.tolist() == [0] and field(state, "last") == 1


def test_again_inside_a_loop_is_masked() -> None:
    loop = "    for k in range(3):\n        if k == 1 and act.use:\n            again()\n"
    loop += "    if act.use:"
    text = ALTERNATE.replace("    if act.use:", loop)
    state, _ = play(Program.from_source(text), [[[USE, 0]]])
    assert state.turn.tolist() == [0]
    state, _ = play(Program.from_source(text), [[[DROP, 0]]])
    assert state.turn.tolist() == [1]


def test_again_needs_alternate_turns() -> None:
    found = check(ALTERNATE.replace("    if act.use:", "    again()\n    if act.use:", 1))
    assert found.ok
    with pytest.raises(ProgramError, match=r"E312.*again"):
        program("n: Int(0, 9)", "again()\ns.n = 1")


def test_roll_comes_back_on_the_other_side() -> None:
    step = "s.d = act.move\ns.g = roll(at(Pos(0, 1)), s.d)\ns.h = roll(ROW * 4 + COL, DOWN_LEFT)"
    fields = "d: Dir\ng: Grid(Bool)\nh: Grid(Int(0, 99))"
    prog = program(fields, step)
    where = {0: [0, 1], 1: [2, 1], 2: [1, 1], 3: [0, 0], 4: [0, 2]}
    for move, cell in where.items():
        state, _ = play(prog, [move])
        assert np.argwhere(state.fields["g"][0]).tolist() == [cell]
    board = np.arange(12).reshape(3, 4)
    assert field(state, "h") == np.roll(board, (1, -1), (0, 1)).tolist()


def test_a_random_value_in_each_cell() -> None:
    step = "s.n = randint_grid(2, 4)\ns.m = pick_grid(UP, LEFT) == UP"
    state, _ = play(program("n: Hidden(Grid(Int(0, 9)))\nm: Grid(Bool)", step), copies=500)
    values, counts = np.unique(state.fields["n"], return_counts=True)
    # 6,000 cells: a share of a third deviates by 37, one of a half by 39; five deviations
    assert values.tolist() == [2, 3, 4] and np.abs(counts - 2000).max() < 185
    assert abs(int(state.fields["m"].sum()) - 3000) < 195
    cells = state.fields["n"].reshape(500, 12)
    assert len({row.tobytes() for row in cells}) > 490  # cells are independent


def test_a_grid_that_only_the_player_reads_is_no_fault() -> None:
    assert check(
        ALTERNATE.replace("pile: Int(0, 9) = 0", "pile: Int(0, 9) = 0\n    g: Grid(Bool)").replace(
            "    s.pile = 0", "    s.g = BORDER\n    s.pile = 0"
        )
    ).ok
    hidden = ALTERNATE.replace(
        "pile: Int(0, 9) = 0", "pile: Int(0, 9) = 0\n    g: Hidden(Grid(Bool))"
    ).replace("    s.pile = 0", "    s.g = BORDER\n    s.pile = 0")
    assert [d.code for d in check(hidden).diagnostics] == ["E604"]


def test_masks_to_start_from() -> None:
    state, _ = play(
        program("a: Int(0, 99)\nb: Int(0, 99)", "s.a = count(EVERYWHERE)\ns.b = count(NOWHERE)")
    )
    assert (field(state, "a"), field(state, "b")) == (12, 0)


def test_rows_in_use_are_counted() -> None:
    step = "spawn(s.bats, pos=Pos(0, 0))\nspawn(s.bats, pos=Pos(-1, 9))\ns.n = count_alive(s.bats)"
    prog = program("bats: Table(Bat, 3)\nn: Int(0, 9)", step)
    assert [field(play(prog, [0] * k)[0], "n") for k in (1, 2)] == [2, 3]


def test_constants_may_be_places_vectors_directions_and_members() -> None:
    head = "START = Pos(2, -1)\nPUSH = Vec2(0.5, -1.0)\nAHEAD = RIGHT\nROCK = Tile.WALL\n"
    fields = "p: Pos = START\nv: Vec2(-2.0, 2.0) = PUSH\nd: Dir = AHEAD\nk: Tile = ROCK"
    step = "s.p = s.p + AHEAD\ns.v = s.v + PUSH\ns.k = ROCK\nif s.k == ROCK:\n    s.d = LEFT"
    state, _ = play(program(fields, step, head=head))
    assert [field(state, n) for n in "pvdk"] == [[2, 0], [1.0, -2.0], 3, 1]


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("START = Pos(1, ROW)", "E111"),
        ("START = Tile.WALLS", "E202"),
        ("START = s.t", "E301"),
        ("START = rand()", "E111"),
    ],
)
def test_faulty_constants(head: str, code: str) -> None:
    with pytest.raises(ProgramError, match=code):
        program("k: Tile", "s.k = START", head=head + "\n")


def test_a_hidden_board_that_only_try_move_reads_is_read() -> None:
    text = (
        '"""Find the way through walls that nobody sees."""\n'
        "game = Game(size=(5, 5), max_steps=40)\n"
        "class Tile(Enum):\n"
        '    FLOOR = Look(".", "black")\n'
        '    WALL = Look("#", "gray", solid=True)\n'
        "class State:\n"
        "    agent: Pos\n"
        "    board: Hidden(Grid(Tile)) = Tile.FLOOR\n"
        "def reset(s):\n"
        "    s.board = where(maze(), Tile.FLOOR, Tile.WALL)\n"
        "    s.agent = Pos(1, 1)\n"
        "def step(s, act):\n"
        "    s.agent = {}\n"
        "    if s.agent == Pos(3, 3):\n"
        "        win()\n"
    )
    assert check(text.format("try_move(s.agent, act.move)")).ok
    assert [d.code for d in check(text.format("s.agent + act.move")).diagnostics] == ["E604"]
