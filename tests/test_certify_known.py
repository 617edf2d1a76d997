"""Certificates against known answers: the shortest paths of others, and plays tried one by one."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest
from searched import MAZE, STEPS, WALK, program, side, start

from envs_dsl import Program, library
from envs_dsl.backends import numpy_backend
from envs_dsl.backends.state import WIN
from envs_dsl.certify import certify, replay
from envs_dsl.language.vocabulary import ACTIONS

# ---- mazes -----------------------------------------------------------------------------------


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
