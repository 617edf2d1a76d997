"""Certificates against known answers: the shortest paths of others, and plays tried one by one."""

from __future__ import annotations

import heapq
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envs_dsl import Program, library
from envs_dsl.__main__ import main
from envs_dsl.backends import numpy_backend, take
from envs_dsl.backends.layout import element
from envs_dsl.backends.state import SEAT, WIN
from envs_dsl.certify import Certificate, Limits, certify, replay
from envs_dsl.certify.influence import influence_of
from envs_dsl.certify.search import Level
from envs_dsl.language.vocabulary import ACTIONS

LIBRARY = Path(__file__).parents[1] / "envs_dsl" / "library"
UP, DOWN, LEFT, RIGHT = 1, 2, 3, 4
STEPS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}

TILES = """
class Tile(Enum):
    FLOOR = Look("-", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)
"""
WALK = """
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.EXIT:
        win()
"""


def program(
    reset: str,
    step: str,
    fields: str = "",
    *,
    game: str = "size=(5, 5), max_steps=40",
    head: str = "",
    act: str = "act",
    helpers: str = "",
) -> Program:
    """A program on a board of tiles with one agent."""
    return Program.from_source(f'''"""A game to be searched."""
game = Game({game})
{head}
{TILES}
class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
{fields}
{helpers}

def reset(s):
{reset}

def step(s, {act}):
{step}
''')


def side(found: Certificate, level: int = 0, seat: int = 0) -> Any:
    return found.levels[level].sides[seat]


def start(prog: Program, seed: int) -> Any:
    """The first state of a level of ``run`` and ``solve``."""
    backend = numpy_backend(prog)
    seeds = np.asarray([seed], np.uint64).view(np.int32)[None]
    return backend.reset(backend.constants(prog), seeds, prog.default_params()[None])


# ---- mazes -----------------------------------------------------------------------------------

MAZE = """
    s.board = where(maze(), Tile.FLOOR, Tile.WALL)
    s.agent = random_cell(s.board == Tile.FLOOR)
    s.board[random_cell(s.board == Tile.FLOOR and not at(s.agent))] = Tile.EXIT
"""


def dijkstra(board: np.ndarray, source: tuple[int, int], target: tuple[int, int]) -> int:
    best, queue = {source: 0}, [(0, source)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell == target:
            return cost
        for dr, dc in STEPS.values():
            near = cell[0] + dr, cell[1] + dc
            if board[near] != 1 and cost + 1 < best.get(near, 1 << 30):
                best[near] = cost + 1
                heapq.heappush(queue, (cost + 1, near))
    raise AssertionError("no way")


def test_mazes_by_shortest_path() -> None:
    maze = program(MAZE, WALK, game="size=(13, 15), max_steps=200")
    found = certify(maze, range(20))
    assert found.count("solvable") == 20
    for level in found.levels:
        state = start(maze, level.seed)
        board = state.fields["board"][0]
        exit_ = tuple(int(i) for i in np.argwhere(board == 2)[0])
        agent = tuple(int(i) for i in state.fields["agent"][0])
        assert level.sides[0].length == dijkstra(board, agent, exit_), level.seed  # type: ignore[arg-type]
        assert level.sides[0].shortest


# ---- Sokoban ---------------------------------------------------------------------------------

# David W. Skinner's Microban, levels 1 to 4, with the moves of the best solutions known.
MICROBAN = {
    1: (33, "####--|#-.#--|#--###|#*@--#|#--$-#|#--###|####--"),
    2: (16, "######|#----#|#-#@-#|#-$*-#|#-.*-#|#----#|######"),
    3: (41, "--####---|###--####|#-----$-#|#-#--#$-#|#-.-.#@-#|#########"),
    4: (23, "########|#------#|#-.**$@#|#------#|#####--#|----####"),
}

SOKOBAN = '''"""Push every box to a goal."""
game = Game(size=({rows}, {cols}), max_steps=200)

MAP = Layout("""
{map}
""")

class Tile(Enum):
    FLOOR = Look("-", "black")
    WALL = Look("#", "gray", solid=True)
    GOAL = Look(".", "green", goal=True)
    BOX = Look("$", "brown", solid=True)
    STORED = Look("*", "gold", solid=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = paint(MAP)
    s.agent = Pos({row}, {col})

def step(s, act):
    front = s.agent + act.move
    behind = front + act.move
    here = s.board[front]
    far = s.board[behind]
    if here == Tile.BOX or here == Tile.STORED:
        if far == Tile.FLOOR or far == Tile.GOAL:
            s.board[front] = Tile.GOAL if here == Tile.STORED else Tile.FLOOR
            s.board[behind] = Tile.STORED if far == Tile.GOAL else Tile.BOX
            s.agent = front
    elif here != Tile.WALL:
        s.agent = front
    if not any(s.board == Tile.BOX):
        win()
'''


def sokoban(text: str) -> Program:
    lines = text.split("|")
    row = next(i for i, line in enumerate(lines) if "@" in line)
    col = lines[row].index("@")
    plain = "\n".join("    " + line.replace("@", "-") for line in lines)
    return Program.from_source(
        SOKOBAN.format(rows=len(lines), cols=len(lines[0]), map=plain, row=row, col=col)
    )


def fewest_moves(text: str) -> int | None:
    """Sokoban on sets, breadth-first: of another make than the program above."""
    cells = {(r, c): x for r, line in enumerate(text.split("|")) for c, x in enumerate(line)}
    walls = {p for p, x in cells.items() if x == "#"}
    goals = frozenset(p for p, x in cells.items() if x in ".*+")
    boxes = frozenset(p for p, x in cells.items() if x in "$*")
    frontier = [(next(p for p, x in cells.items() if x in "@+"), boxes)]
    seen = set(frontier)
    for moves in itertools.count(1):
        following = []
        for (r, c), boxes in frontier:
            for dr, dc in STEPS.values():
                to, beyond = (r + dr, c + dc), (r + 2 * dr, c + 2 * dc)
                moved = boxes
                if to in boxes:
                    if beyond in walls or beyond in boxes or beyond not in cells:
                        continue
                    moved = boxes - {to} | {beyond}
                if to in walls or to not in cells or (to, moved) in seen:
                    continue
                if moved == goals:
                    return moves
                seen.add((to, moved))
                following.append((to, moved))
        if not following:
            return None
        frontier = following
    return None


@pytest.mark.parametrize("level", MICROBAN)
def test_sokoban_by_known_solutions(level: int) -> None:
    moves, text = MICROBAN[level]
    assert fewest_moves(text) == moves
    found = certify(sokoban(text))
    assert side(found).length == moves and side(found).shortest
    assert replay(sokoban(text), 0, side(found).witness) == WIN


def test_a_box_in_a_corner_is_unsolvable() -> None:
    text = "######|#$--.#|#-@--#|#----#|######"
    assert fewest_moves(text) is None
    found = certify(sokoban(text))
    assert found.answer == "unsolvable" and side(found).why == "closed"
    assert side(found).witness is None and found.as_json()["lengths"] == []


# ---- Hanoi -----------------------------------------------------------------------------------

HANOI = '''"""Bring the tower to the last peg; never put a disc on a smaller one."""
game = Game(size=(3, 3), max_steps=60, verbs=["use", "take"])

class State:
    peg: Array(Int(0, 2), {discs}) = 0

def top(s, p):
    found = {discs}
    for k in range({discs}):
        if s.peg[{discs} - 1 - k] == p:
            found = {discs} - 1 - k
    return found

def reset(s):
    s.peg[0] = 0

def step(s, act):
    source = 0
    target = 0
    if act.move == UP:
        target = 1
    elif act.move == DOWN:
        target = 2
    elif act.move == LEFT:
        source = 1
    elif act.move == RIGHT:
        source = 1
        target = 2
    elif act.use:
        source = 2
    elif act.take:
        source = 2
        target = 1
    moved = top(s, source)
    if moved < top(s, target):
        s.peg[moved] = target
    done = True
    for k in range({discs}):
        done = done and s.peg[k] == 2
    if done:
        win()
'''


@pytest.mark.parametrize("discs", [3, 4])
def test_hanoi_takes_two_to_the_n_minus_one(discs: int) -> None:
    tower = Program.from_source(HANOI.format(discs=discs))
    found = certify(tower)
    assert side(found).length == 2**discs - 1 and side(found).shortest
    assert replay(tower, 0, side(found).witness, backend="jax") == WIN


# ---- plays tried one by one ------------------------------------------------------------------


def wins_within(prog: Program, seed: int, steps: int) -> bool:
    """Whether any play of ``steps`` steps wins, each played apart: nothing merged or shared."""
    legal = [*range(5), *(ACTIONS.index(verb) for verb in prog.game.verbs)]
    plays = np.asarray(list(itertools.product(legal, repeat=steps)), np.int32)
    backend = numpy_backend(prog)
    constants = backend.constants(prog)
    seeds = np.repeat(np.asarray([seed], np.uint64).view(np.int32)[None], len(plays), axis=0)
    state = backend.reset(constants, seeds, np.tile(prog.default_params(), (len(plays), 1)))
    for t in range(steps):
        state, _ = backend.step(constants, state, plays[:, t, None])
    return bool((state.outcome == WIN).any())


@pytest.mark.parametrize("name", ["courier", "crate", "hail", "hunter", "ice", "orchard"])
def test_no_shorter_play_wins(name: str) -> None:
    prog = next(p for p in library.seeds() if p.name == name)
    found = certify(prog, range(6))
    assert found.count("solvable") == 6
    for level in found.levels:
        length = level.sides[0].length
        assert level.sides[0].shortest and length is not None
        assert replay(prog, level.seed, level.sides[0].witness or ()) == WIN
        if length <= 6:
            assert not wins_within(prog, level.seed, length - 1), level.seed


# ---- what a proof is -------------------------------------------------------------------------

WALLED = """
    s.board = where(COL == 2, Tile.WALL, Tile.FLOOR)
    s.agent = random_cell(COL < 2)
    s.board[random_cell(COL > 2)] = Tile.EXIT
"""
FAR = """
    s.agent = Pos(0, 0)
    s.board[Pos(4, 4)] = Tile.EXIT
"""


def test_an_exhausted_frontier_is_a_proof() -> None:
    found = certify(program(WALLED, WALK), range(3))
    assert found.answer == "unsolvable" and found.count("unsolvable") == 3
    assert all(side(found, i).why == "closed" for i in range(3))


def test_a_frontier_that_the_step_limit_ends_is_none() -> None:
    assert side(certify(program(FAR, WALK, game="size=(5, 5), max_steps=8"))).length == 8
    found = certify(program(FAR, WALK, game="size=(5, 5), max_steps=7"))
    assert found.answer == "unknown" and side(found).why == "step limit" and found.hopeless


def test_a_spent_budget_is_none() -> None:
    maze = program(MAZE, WALK, game="size=(13, 15), max_steps=200")
    found = certify(maze, limits=Limits(states=300))
    assert found.answer == "unknown" and side(found).why == "budget"
    assert side(found).states <= 300 and not found.hopeless


def test_the_first_outcome_counts() -> None:
    reading = (
        "    if s.board[s.agent] == Tile.WALL:\n        reward(0.1)\n    s.agent += act.move\n"
    )
    first = "    if act.move == UP:\n        win()\n    lose()\n"
    assert side(certify(program(FAR, reading + first))).length == 1
    found = certify(program(FAR, reading + "    lose()\n    win()\n"))
    assert found.answer == "unsolvable" and side(found).why == "closed"


def test_what_only_pays_does_not_multiply_states() -> None:
    """A counter and a draw that only the reward reads: the frontier still runs empty."""
    step = """
    s.steps += 1
    s.luck = rand()
    reward(0.001 * s.luck - 0.001 * s.steps)
""" + WALK  # fmt: skip
    prog = program(WALLED, step, "    steps: Int(0, 99) = 0\n    luck: Float(0.0, 1.0) = 0.0")
    influence = influence_of(prog.tree)
    assert influence.fields == ("agent",) and influence.timeless
    assert certify(prog).answer == "unsolvable"


CLOCK = """
    s.agent += act.move
    if s.t == 9:
        win()
    if s.n > 0:
        reward(0.1)
    s.n += 1
"""
LUCK = """
    if chance(0.5):
        s.agent += act.move
    if s.agent.row == 4:
        win()
    if s.n > 0:
        reward(0.1)
    s.n += 1
"""
JUMP = """
    s.n += 1
    s.agent += act.move
    if s.n < 3:
        return
    if act.move == UP:
        win()
    if s.agent.row == 4:
        reward(0.1)
"""
LOCAL = """
    s.agent += act.move
    before = s.n
    s.n = min(s.n + 1, 9)
    if before > 3:
        win()
    if s.agent.row == 4:
        reward(0.1)
"""
HELPER = """
    s.agent += act.move
    s.n = s.n + 1
    if late(s):
        win()
    if s.agent.row == 4:
        reward(0.1)
"""
LATE = """
def late(s):
    if s.n > 4:
        return True
    return False
"""

LEVER = """
    s.agent = try_move(s.agent, act.move)
    if act.use:
        s.board[Pos(2, 2)] = Tile.FLOOR
    if s.agent == Pos(4, 4):
        win()
"""


def test_walls_have_a_say_where_only_try_move_reads_them() -> None:
    """Behind a wall with a gate in its middle, which opens by a lever: 8 moves and one pull."""
    reset = "    s.agent = Pos(0, 0)\n    s.board = where(ROW == 2, Tile.WALL, Tile.FLOOR)\n"
    prog = program(reset, LEVER, game='size=(5, 5), max_steps=40, verbs=["use"]')
    assert influence_of(prog.tree).fields == ("agent", "board")
    found = side(certify(prog))
    assert found.length == 9 and found.shortest


@pytest.mark.parametrize(
    ("step", "fields", "timeless"),
    [
        (CLOCK, (), False),
        (LUCK, ("agent",), False),
        (JUMP, ("n",), True),
        (LOCAL, ("n",), True),
        (HELPER, ("n",), True),
    ],
)
def test_influences(step: str, fields: tuple[str, ...], timeless: bool) -> None:
    reading = "    if s.board[s.agent] == Tile.WALL:\n        reward(0.1)\n"
    prog = program(FAR, reading + step, "    n: Int(0, 9) = 0", helpers=LATE)
    found = influence_of(prog.tree)
    assert found.fields == fields and found.timeless is timeless


def test_waiting_for_the_clock() -> None:
    """A door that opens at step 6: states seen earlier must not be dropped."""
    step = """
    target = s.agent + act.move
    if not solid(s.board[target]) and (s.t >= 6 or target.col < 2):
        s.agent = target
    if s.board[s.agent] == Tile.EXIT:
        win()
"""
    prog = program("    s.agent = Pos(2, 1)\n    s.board[Pos(2, 2)] = Tile.EXIT", step)
    assert side(certify(prog)).length == 7


# ---- guided ----------------------------------------------------------------------------------


def test_the_guide_takes_over_where_the_budget_ends() -> None:
    prog = next(p for p in library.seeds() if p.name == "drift")
    found = certify(prog, range(4), Limits(states=20_000))
    guided = [level.sides[0] for level in found.levels if level.sides[0].why == "guided"]
    assert found.answer == "solvable" and guided
    assert not any(s.shortest for s in guided) and all(s.states <= 20_000 for s in guided)


def test_answers_repeat() -> None:
    for name in ("drift", "scramble"):
        prog = next(p for p in library.seeds() if p.name == name)
        assert certify(prog, (3,), Limits(20_000)) == certify(prog, (3,), Limits(20_000))


# ---- several seats ---------------------------------------------------------------------------

RACE = """
    for i in players():
        if acts[i].move == {need}:
            s.steps[i] += 1
    if s.steps[0] >= 3:
        win(0)
    elif s.steps[1] >= {goal}:
        win(1)
    s.agent = s.agent
    if s.board[s.agent] == Tile.WALL:
        reward(0.1, 0)
"""


def race(need: str, goal: str, game: str = "size=(5, 5), max_steps=12, players=2") -> Program:
    fields = "    steps: Players(Int(0, 3)) = 0"
    return program(FAR, RACE.format(need=need, goal=goal), fields, game=game, act="acts")


def test_a_contest_that_both_can_win() -> None:
    prog = race("UP", "3")
    found = certify(prog, range(2))
    assert found.answer == "solvable"
    for level in found.levels:
        for seat, one in enumerate(level.sides):
            assert one.seat == seat and one.rival == "random" and one.length == 3
            assert replay(prog, level.seed, one.witness or ()) == SEAT + seat


def test_a_contest_replays_with_jax() -> None:
    prog = race("UP", "3")
    witness = certify(prog).levels[0].sides[1].witness
    assert replay(prog, 0, witness or (), backend="jax") == SEAT + 1


def test_a_contest_that_one_side_cannot_win_is_unsolvable() -> None:
    found = certify(race("UP", "4"))
    assert [s.answer for s in found.levels[0].sides] == ["solvable", "unsolvable"]
    assert found.answer == "unsolvable" and found.levels[0].answer == "unsolvable"


def test_a_win_that_the_rival_must_help_with() -> None:
    step = """
    if acts[0].move == UP and acts[1].move == DOWN:
        s.pairs[0] += 1
    else:
        s.pairs[0] = 0
    if s.pairs[0] >= 9:
        win(1)
    if acts[0].move == LEFT:
        win(0)
    s.agent = s.agent
    if s.board[s.agent] == Tile.WALL:
        reward(0.1, 0)
"""
    fields = "    pairs: Players(Int(0, 9)) = 0"
    game = "size=(5, 5), max_steps=12, players=2"
    found = certify(program(FAR, step, fields, game=game, act="acts"))
    mine, theirs = found.levels[0].sides
    assert (mine.rival, mine.length) == ("random", 1)
    assert (theirs.rival, theirs.length) == ("helping", 9)


def test_what_rivals_play_changes_with_time() -> None:
    """Nothing but this step's moves decides: a state met again is worth waiting in."""
    step = """
    if acts[0].move == UP and acts[1].move == UP:
        win(0)
    if acts[0].move == DOWN and acts[1].move == DOWN:
        win(1)
    if s.board[s.agent] == Tile.WALL:
        reward(0.1, 0)
"""
    prog = program(FAR, step, game="size=(5, 5), max_steps=60, players=2", act="acts")
    for level in certify(prog, range(4)).levels:
        assert [s.rival for s in level.sides] == ["random", "random"]


def test_a_team_must_act_together() -> None:
    step = """
    if acts[0].move == UP and acts[1].move == DOWN and acts[2].move == LEFT:
        s.agent.col += 1
    if s.board[s.agent] == Tile.EXIT or s.agent.col == 3:
        win()
"""
    prog = program(FAR, step, game="size=(5, 5), max_steps=12, players=3", act="acts")
    found = certify(prog)
    assert side(found).seat is None and side(found).length == 3
    assert side(found).witness == ((1, 2, 3),) * 3


def test_turns_alternate() -> None:
    """Nim with five matches, one or two a turn: who moves second wins only with help or luck."""
    step = """
    if act.move == UP:
        s.left -= 1
    elif act.move == DOWN:
        s.left -= 2
    s.agent = s.agent
    if s.board[s.agent] == Tile.WALL:
        reward(0.1, 0)
    if s.left <= 0:
        win(s.turn)
"""
    game = 'size=(5, 5), max_steps=20, players=2, turns="alternate"'
    prog = program(FAR, step, "    left: Int(0, 5) = 5", game=game)
    found = certify(prog, range(4))
    assert found.answer == "solvable"
    for level in found.levels:
        for seat, one in enumerate(level.sides):
            assert one.length is not None and (one.length - 1) % 2 == seat  # the last mover won
            assert all(row[1 - t % 2] == 0 for t, row in enumerate(one.witness or ()))


def test_a_seat_that_keeps_the_turn() -> None:
    """Who steps on the exit's row goes again; only so does seat 0 get there before the end."""
    step = """
    if act.move == RIGHT and s.agent.col < 4:
        s.agent.col += 1
        if s.turn == 0:
            again()
    elif act.move == LEFT and s.turn == 1:
        s.agent.col = 0
    if s.agent.col == 4 and s.board[Pos(4, 4)] == Tile.EXIT:
        win(s.turn)
"""
    game = 'size=(5, 5), max_steps=20, players=2, turns="alternate"'
    prog = program(FAR, step, game=game)
    found = certify(prog, range(3))
    assert found.answer == "solvable"
    for level in found.levels:
        assert level.sides[0].length == 4 and level.sides[0].shortest
        for seat, one in enumerate(level.sides):
            assert replay(prog, level.seed, one.witness or ()) == SEAT + seat
    assert found.levels[0].sides[0].witness == ((RIGHT, 0),) * 4


# ---- the command -----------------------------------------------------------------------------


def call(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    code = main(argv)
    return code, capsys.readouterr().out


def test_solve_and_run_agree(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("key_door", "scramble"):
        file = str(LIBRARY / "seeds" / f"{name}.py")
        code, out = call(capsys, "solve", file, "--seeds", "3", "--json")
        found = json.loads(out)
        assert code == 0 and (found["solvable"], found["unsolvable"], found["unknown"]) == (3, 0, 0)
        assert [len(w) for w in found["witnesses"]] == found["lengths"]
        for seed, witness in enumerate(found["witnesses"]):
            actions = ",".join(map(str, witness))
            _, out = call(capsys, "run", file, "--seed", str(seed), "--actions", actions, "--json")
            last = json.loads(out)["steps"][-1]
            assert last["t"] == len(witness) - 1
            assert last["outcome"] == ("win:0" if name == "scramble" else "win")


def test_solve_says_no(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "walled.py"
    file.write_text(program(WALLED, WALK).source)
    code, out = call(capsys, "solve", str(file))
    assert code == 1 and "unsolvable" in out
    assert call(capsys, "solve", str(file), "--budget", "20")[0] == 0  # unknown is not "no"


def test_random_bits_are_shared_by_a_layer() -> None:
    """The search draws once for all states of a layer; whoever plays alone draws the same."""
    for prog in (*library.seeds(), *library.heldout_dev()):
        backend = numpy_backend(prog)
        constants = backend.constants(prog)
        level = Level(prog, np.asarray([7, 3], np.int32), prog.default_params(), Limits())
        copies = 12
        together = apart = take(level.start, np.zeros(copies, np.intp))
        random = np.random.default_rng(0)
        for t in range(min(20, prog.game.max_steps)):
            actions = random.integers(0, 5, (copies, prog.game.players), dtype=np.int32)
            together = level.step(together, actions, t)
            apart, _ = backend.step(constants, apart, actions)
            for one, two in zip(leaves(together), leaves(apart)):
                np.testing.assert_array_equal(one, two, prog.name)


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict | tuple):
        values = tree.values() if isinstance(tree, dict) else tree
        return [leaf for value in values for leaf in leaves(value)]
    return [tree]


def is_float_free(prog: Program) -> bool:
    """No field holds a Float or a Vec2 (those may drift apart between the back ends)."""
    columns = [c for f in prog.tree.fields for c in columns_of(prog, f)]
    return not any(element(c.type).kind in ("Float", "Vec2") for c in columns)


def columns_of(prog: Program, declared: Any) -> tuple[Any, ...]:
    if declared.capacity:
        return prog.tree.row(declared.type.row_type).columns
    return (declared,)


BUNDLED = [*library.seeds(), *library.heldout_dev(), *library.games()]


@pytest.mark.slow
@pytest.mark.parametrize("prog", [p for p in BUNDLED if is_float_free(p)], ids=lambda p: p.name)
def test_witnesses_of_bundled_programs_replay_with_jax(prog: Program) -> None:
    found = certify(prog, (0, 1), Limits(100_000))
    for level in found.levels:
        for one in level.sides:
            if one.witness is not None:
                goal = WIN if one.seat is None else SEAT + one.seat
                assert replay(prog, level.seed, one.witness, backend="jax") == goal
