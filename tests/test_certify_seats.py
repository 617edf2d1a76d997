"""Certificates of contests, teams and games of alternating turns."""

from __future__ import annotations

from searched import FAR, program, side

from envs_dsl import Program
from envs_dsl.backends.state import SEAT
from envs_dsl.certify import certify, replay

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


def test_no_proof_where_only_some_joint_actions_are_tried() -> None:
    """Four players with nine actions each: of 6,561 joint ones 256 are tried in a step."""
    step = """
    if acts[0].use and acts[1].take and acts[2].drop and acts[3].push:
        win()
    if s.board[s.agent] == Tile.WALL:
        reward(0.1)
"""
    game = "size=(5, 5), max_steps=3, players=4, verbs=['use', 'take', 'drop', 'push']"
    found = certify(program(FAR, step, game=game, act="acts"))
    assert found.answer == "unknown" and side(found).why == "sampled" and not found.hopeless


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
    assert found.levels[0].sides[0].witness == ((4, 0),) * 4  # RIGHT
