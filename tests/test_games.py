"""The games: each checks without a warning, a good player wins it and a bad one does not."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
import pytest
from players import View

from envs_dsl import Program, library
from envs_dsl.backends import numpy_backend, outcome_name
from envs_dsl.certify import certify
from envs_dsl.language import tree as T
from envs_dsl.language.types import Array, Grid, Scalar
from envs_dsl.language.vocabulary import ACTIONS

GAMES = library.names("games")
LEVELS = 4


@functools.cache
def program(name: str) -> Program:
    return {p.name: p for p in library.games()}[name]


def players(name: str) -> tuple[Any, Any]:
    module = importlib.import_module(f"players.{name}")
    return module.win, module.lose


def glyphs(p: Program, name: str, value: Any) -> Any:
    """A field's values for a player: members of an enum as their glyphs."""
    type_ = p.tree.field(name).type
    element = type_.elem if isinstance(type_, Grid | Array) else type_
    if isinstance(element, Scalar) and element.kind == "Enum":
        return np.asarray([look.glyph for look in p.tree.enum(element.enum).looks])[value]
    return value


def view(p: Program, state: Any, copy: int) -> View:
    def one(value: Any) -> Any:
        return {k: one(v) for k, v in value.items()} if isinstance(value, dict) else value[copy]

    fields = {name: glyphs(p, name, one(value)) for name, value in state.fields.items()}
    params = {param.name: float(v) for param, v in zip(p.params, state.params[copy])}
    return View(**params, **fields, t=int(state.t[copy]), turn=int(state.turn[copy]))


def start(p: Program) -> Any:
    """The levels 0 to ``LEVELS - 1``, as the commands number them."""
    seeds = np.stack([np.arange(LEVELS), np.zeros(LEVELS)], 1).astype(np.int32)
    backend = numpy_backend(p)
    return backend.reset(backend.constants(p), seeds, np.tile(p.default_params(), (LEVELS, 1)))


def play(name: str, *seats: Any) -> list[str | None]:
    """How each of ``LEVELS`` levels ends: "win", "win:1", "lose", "draw" or None."""
    p = program(name)
    backend, state = numpy_backend(p), start(p)
    constants = backend.constants(p)
    ends: list[str | None] = [None] * LEVELS
    over = np.zeros(LEVELS, bool)
    plans: dict[tuple[int, int], list[str]] = {}

    def action(copy: int, seat: int, seen: View) -> int:
        if not plans.get((copy, seat)):
            given = seats[seat](seen) if len(seats) == 1 else seats[seat](seen, seat)
            plans[copy, seat] = [given] if isinstance(given, str) else list(given)
        return ACTIONS.index(plans[copy, seat].pop(0))

    while not over.all():
        actions = np.zeros((LEVELS, p.game.players), np.int32)
        for copy in np.flatnonzero(~over):
            seen = view(p, state, copy)
            actions[copy] = [action(copy, seat, seen) for seat in range(len(seats))]
        state, out = backend.step(constants, state, actions)
        assert not state.fault[~over].any(), "a NaN, or a random cell of nowhere"
        for copy in np.flatnonzero(~over & (out.terminated | out.truncated)):
            ends[copy] = outcome_name(int(state.outcome[copy]))
        over |= out.terminated | out.truncated
    return ends


def can(p: Program, effect: str) -> bool:
    return any(isinstance(node, T.Effect) and node.op == effect for node in T.walk(p.tree.step))


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_exemplary(name: str) -> None:
    p = program(name)
    assert not p.warnings
    assert len(p.doc) >= 40
    assert p.doc.endswith(".")
    assert p.game.skills
    assert any(param.harder for param in p.params)


@pytest.mark.parametrize("name", [n for n in GAMES if program(n).game.players == 1])
def test_a_good_player_wins_and_a_bad_one_does_not(name: str) -> None:
    win, lose = players(name)
    assert play(name, win).count("win") >= 3
    ends = play(name, lose)
    assert ends == ["lose"] * LEVELS if can(program(name), "lose") else "win" not in ends


@pytest.mark.parametrize("name", [n for n in GAMES if program(n).tree.contest])
def test_each_seat_of_a_contest_can_win(name: str) -> None:
    win, lose = players(name)
    seats = program(name).game.players
    for seat in range(seats):
        ends = play(name, *[win if i == seat else lose for i in range(seats)])
        assert ends.count(f"win:{seat}") >= 3, ends


@pytest.mark.parametrize(
    "name", [n for n in GAMES if program(n).game.players > 1 and not program(n).tree.contest]
)
def test_a_team_wins_together_or_not_at_all(name: str) -> None:
    win, lose = players(name)
    assert play(name, win, win).count("win") >= 3
    assert "win" not in play(name, win, lose)
    assert "win" not in play(name, lose, win)


@pytest.mark.parametrize("name", ["eight_puzzle", "ice_cave", "sokoban"])
def test_certificates_are_as_short_as_the_players_own_search(name: str) -> None:
    p = program(name)
    state, plan = start(p), players(name)[0]
    for level in certify(p, range(LEVELS)).levels:
        side = level.sides[0]
        assert side.shortest
        assert side.length == len(plan(view(p, state, level.seed)))


def test_games_share_no_skeleton_with_the_training_programs() -> None:
    known = {p.hashes.skeleton for p in (*library.seeds(), *library.heldout_dev())}
    found = [program(name).hashes.skeleton for name in GAMES]
    assert len(set(found)) == len(GAMES) >= 34
    assert not known & set(found)
