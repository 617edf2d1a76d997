"""Small programs for the tests of what programs mean, and how to play them.

Every program runs on both back ends, which must agree; the values are NumPy's.
"""

from __future__ import annotations

import re
from typing import Any

import jax
import numpy as np

from envs_dsl import Program
from envs_dsl.backends import State, StepOut, jax_backend, numpy_backend

STAY, UP, DOWN, LEFT, RIGHT = range(5)
UP_LEFT, UP_RIGHT, DOWN_LEFT, DOWN_RIGHT = range(5, 9)
USE, TAKE, FLIP = 5, 6, 19

TILES = """
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)
"""
ROWS = """
class Bat(Row):
    pos: Pos
    life: Int(1, 9) = 3
"""


def program_text(
    fields: str,
    step: str,
    reset: str = "pass",
    *,
    head: str = "",
    game: str = "size=(3, 4), max_steps=9",
    helpers: str = "",
) -> str:
    """A program with these fields and rules; its end only reads every field and calls win()."""
    if "Tile" in fields + step + reset:
        head += TILES
    if "Bat" in fields:
        head += ROWS
    reads = []
    for name, type_ in re.findall(r"^\s*(\w+): (.+)", fields, re.MULTILINE):
        type_ = type_.removeprefix("Hidden(")
        if type_.startswith("Table"):
            continue
        if type_.startswith("Grid"):
            reads.append(f"any(s.{name} == s.{name})")
        elif type_.startswith(("Array", "Players")):
            index = "Tile.FLOOR" if ", Tile)" in type_ else "0"
            reads.append(f"s.{name}[{index}] == s.{name}[{index}]")
        else:
            reads.append(f"s.{name} == s.{name}")
    reading = "\n".join(f"        over = over or {read}" for read in reads)
    winner = "win(0)" if re.search(r"win\(\w", step) else "win()"
    act = "act" if "players" not in game or "alternate" in game else "acts"

    def indent(text: str) -> str:
        lines = text.strip("\n").splitlines()
        margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        return "\n".join("    " + line[margin:] for line in lines)

    return f'''"""A program that shows one rule."""
game = Game({game})
{head}
class State:
{indent(fields)}

{helpers}

def reset(s):
{indent(reset)}

def step(s, {act}):
{indent(step)}
    over = s.t > 901
    if s.t > 900:
        over = s.t > 901
{reading}
    if over:
        {winner}
'''


def program(*parts: str, **options: str) -> Program:
    """The checked program of ``program_text``."""
    return Program.from_source(program_text(*parts, **options))


def agree(ours: Any, theirs: Any) -> None:
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for (path, one), two in zip(jax.tree_util.tree_leaves_with_path(ours), jax.tree.leaves(theirs)):
        two, name = np.asarray(two), jax.tree_util.keystr(path)
        assert (one.shape, one.dtype) == (two.shape, two.dtype), name
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5, err_msg=name)


def play(
    prog: Program, actions: Any = ((0,),), *, copies: int = 1, params: Any = None
) -> tuple[State, list[StepOut]]:
    """Play ``actions`` (steps of copies of seats; steps of one action are for all copies)."""
    seeds = np.arange(2 * copies, dtype=np.int32).reshape(copies, 2)
    levels = np.asarray(prog.default_params() if params is None else params, np.float32)
    levels = np.tile(levels, (copies, 1))
    ours, theirs = numpy_backend(prog), jax_backend(prog)
    constants, traced = ours.constants(prog), theirs.constants(prog)
    state = ours.reset(constants, seeds, levels)
    agree(state, jax.jit(theirs.reset)(traced, seeds, levels))
    step, outs = jax.jit(theirs.step), []
    for action in actions:
        shape = (copies, prog.game.players)
        action = np.asarray(action, np.int32)
        action = action.reshape(shape) if action.size == copies * shape[1] else action
        action = np.ascontiguousarray(np.broadcast_to(action, shape))
        before = state
        state, out = ours.step(constants, before, action)
        agree((state, out), step(traced, before, action))
        outs.append(out)
    return state, outs


def field(state: State, name: str) -> Any:
    """The field of copy 0 as plain values."""
    return state.fields[name][0].tolist()


def calculate(kind: str, *expressions: str, setup: str = "") -> list[Any]:
    """Values of expressions of one scalar type, through fields r0, r1, …"""
    fields = "\n".join(f"r{i}: {kind}" for i in range(len(expressions)))
    step = "\n".join([setup, *(f"s.r{i} = {e}" for i, e in enumerate(expressions))])
    state, _ = play(program(fields, step))
    return [field(state, f"r{i}") for i in range(len(expressions))]


INT, FLOAT = "Int(-1000000, 1000000)", "Float(-100000.0, 100000.0)"

FAULTY = """\
\"\"\"Hope for a win; after FREE moves to the right there is no cell left to draw from.\"\"\"

game = Game(size=(3, 3), max_steps=STEPS, skills=["navigation"])

FREE = Param(2, 1, 9, harder="down")


class State:
    agent: Pos
    drawn: Pos
    rights: Int(0, 99)


def reset(s):
    s.agent = Pos(1, 1)
    s.drawn = Pos(0, 0)


def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.move == RIGHT:
        s.rights += 1
    if s.rights >= FREE:
        s.drawn = random_cell(at(s.agent) and not at(s.agent))
    if s.drawn == Pos(2, 2):
        win()
"""
"""It faults at the move to the right that makes FREE of them; STEPS is its limit."""
