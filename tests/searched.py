"""Small programs to be searched for a win, and how to look at what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from envs_dsl import Program
from envs_dsl.backends import numpy_backend
from envs_dsl.certify import Certificate

LIBRARY = Path(__file__).parents[1] / "envs_dsl" / "library"
STEPS = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
"""Rows and columns that an action moves by: up, down, left, right."""

TILES = """
class Tile(Enum):
    FLOOR = Look("-", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)
"""
MAZE = """
    s.board = where(maze(), Tile.FLOOR, Tile.WALL)
    s.agent = random_cell(s.board == Tile.FLOOR)
    s.board[random_cell(s.board == Tile.FLOOR and not at(s.agent))] = Tile.EXIT
"""
FAR = """
    s.agent = Pos(0, 0)
    s.board[Pos(4, 4)] = Tile.EXIT
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
