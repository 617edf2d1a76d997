"""Certificates: what is a proof, what decides how a game ends, the command, replays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from searched import FAR, LIBRARY, MAZE, WALK, program, side

from envs_dsl import Program, library
from envs_dsl.__main__ import main
from envs_dsl.backends import numpy_backend, take
from envs_dsl.backends.layout import element
from envs_dsl.backends.state import SEAT, WIN
from envs_dsl.certify import Limits, certify, replay
from envs_dsl.certify.influence import influence_of
from envs_dsl.certify.search import Level

# ---- what a proof is -------------------------------------------------------------------------

WALLED = """
    s.board = where(COL == 2, Tile.WALL, Tile.FLOOR)
    s.agent = random_cell(COL < 2)
    s.board[random_cell(COL > 2)] = Tile.EXIT
"""


def test_an_exhausted_frontier_is_a_proof() -> None:
    found = certify(program(WALLED, WALK), range(3))
    assert found.answer == "unsolvable" and found.count("unsolvable") == 3
    assert all(side(found, i).why == "closed" for i in range(3))
    # Ten cells to stand on, each left once by every one of five actions.
    assert [side(found, i).states for i in range(3)] == [50, 50, 50]


def test_a_frontier_that_the_step_limit_ends_is_none() -> None:
    assert side(certify(program(FAR, WALK, game="size=(5, 5), max_steps=8"))).length == 8
    found = certify(program(FAR, WALK, game="size=(5, 5), max_steps=7"))
    assert found.answer == "unknown" and side(found).why == "step limit" and found.hopeless


def test_a_spent_budget_is_none() -> None:
    maze = program(MAZE, WALK, game="size=(13, 15), max_steps=200")
    found = certify(maze, limits=Limits(states=300))
    assert found.answer == "unknown" and side(found).why == "budget"
    assert side(found).states <= 300 and not found.hopeless


def test_a_search_may_end_where_nothing_can_be_hopeless_any_more() -> None:
    maze = program(MAZE, WALK, game="size=(13, 15), max_steps=200")
    limits = Limits(states=300)
    assert len(certify(maze, range(3), limits).levels) == 3
    assert len(certify(maze, range(3), limits, until_hopeful=True).levels) == 1
    assert len(certify(program(WALLED, WALK), range(3), until_hopeful=True).levels) == 3


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
