"""What every implementation of the language shows of an episode, in the words of the cases."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracle import Oracle, observation
from oracle import State as OracleState

from envs_dsl import Program
from envs_dsl.backends import State, StepOut, outcome_name, success
from envs_dsl.language.vocabulary import ACTIONS, COLORS

__all__ = ["Seen", "play", "play_oracle"]

Seen = dict[str, Any]
"""Fields and reserved keys of one state (``tests/conformance/README.md``), as plain values."""

Actions = tuple[tuple[int, ...], ...]


def play(
    backend: Any,
    program: Program,
    seed: tuple[int, int],
    params: tuple[float, ...],
    actions: Actions,
    batch: tuple[int, int] = (1, 0),
    observed: bool = False,
) -> list[Seen]:
    """After reset and after every step, on a back end, as copy ``batch[1]`` of ``batch[0]``.

    The other copies have other seeds and stay where they are. What the seats see is told where it
    is asked for.
    """
    size, mine = batch
    constants = backend.constants(program)
    seeds = np.asarray([[seed[0] + i - mine, seed[1]] for i in range(size)], np.int32)
    levels = np.tile(np.asarray(params, np.float32).reshape(1, len(program.params)), (size, 1))
    state = backend.reset(constants, seeds, levels)
    seen = [_shown(backend, constants, state, None, mine)]
    if observed:
        seen[0]["observed"] = _observed(backend, constants, state, mine)
    for action in actions:
        taken = np.zeros((size, program.game.players), np.int32)
        taken[mine] = action
        state, out = backend.step(constants, state, taken)
        seen.append(_shown(backend, constants, state, out, mine))
        if observed:
            seen[-1]["observed"] = _observed(backend, constants, state, mine)
    return seen


def play_oracle(
    program: Program,
    seed: tuple[int, int],
    params: tuple[float, ...],
    actions: Actions,
    observed: bool = False,
) -> list[Seen]:
    """The same on the oracle."""
    oracle, seats = Oracle(program.tree), range(program.game.players)
    state = oracle.reset(seed, params)
    seen = [_told(oracle, state)]
    if observed:
        seen[0]["observed"] = _sights([observation(program.tree, state, i) for i in seats])
    for action in actions:
        stepped = oracle.step(state, list(action))
        state = stepped.state
        shown = _told(oracle, state)
        shown["reward"] = _seats(stepped.reward)
        shown |= {"terminated": stepped.terminated, "truncated": stepped.truncated}
        if observed:
            shown["observed"] = _sights([observation(program.tree, state, i) for i in seats])
        seen.append(shown)
    return seen


def _observed(backend: Any, constants: Any, state: State, mine: int) -> Any:
    cells, hud, legal = (
        np.asarray(part)[mine].tolist() for part in backend.observe(constants, state)
    )
    return _sights(list(zip(cells, hud, legal)))


def _sights(seats: list[Any]) -> Any:
    """What one player sees, or by seat, by the keys of the cases."""
    told = {
        seat: {
            "cells": {row: dict(enumerate(line)) for row, line in enumerate(cells)},
            "hud": dict(enumerate(hud)),
            "legal": [name for name, allowed in zip(ACTIONS, legal) if allowed],
        }
        for seat, (cells, hud, legal) in enumerate(seats)
    }
    return told[0] if len(seats) == 1 else told


def _seats(values: list[Any]) -> Any:
    """One value for one player, a list for several."""
    return values[0] if len(values) == 1 else values


def _shown(backend: Any, constants: Any, state: State, out: StepOut | None, mine: int) -> Seen:
    def plain(array: Any) -> Any:
        return np.asarray(array)[mine].tolist()

    def drawn(value: Any) -> Any:
        array = np.asarray(value)
        return array[mine if len(array) > 1 else 0].tolist()

    seats = backend.tree.game.players
    seen: Seen = {
        name: {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else plain(value)
        for name, value in state.fields.items()
    }
    seen |= {
        "t": plain(state.t),
        "turn": plain(state.turn),
        "outcome": outcome_name(plain(state.outcome)),
        "success": _seats([bool(success(plain(state.outcome), i)) for i in range(seats)]),
        "score": _seats(plain(state.score)),
        "total": _seats(plain(state.total)),
        "last_action": _seats(plain(state.last_action)),
        "fault": plain(state.fault),
        "illegal": plain(state.illegal),
    }
    if backend.tree.view:
        seen["view"] = [
            [shape.kind, *map(drawn, shape.args), _paint(shape.color, shape.seat, drawn)]
            for shape in backend.view(constants, state)
            if shape.mask is None or drawn(shape.mask)
        ]
    if out is not None:
        seen |= {
            "reward": _seats(plain(out.reward)),
            "terminated": plain(out.terminated),
            "truncated": plain(out.truncated),
        }
    return seen


def _told(oracle: Oracle, state: OracleState) -> Seen:
    game = oracle.tree.game
    seen: Seen = {}
    for field in oracle.tree.fields:
        value = _lists(state.fields[field.name])
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = {column: [row[column] for row in value] for column in value[0]}
        seen[field.name] = value
    code = state.outcome
    seen |= {
        "t": state.t,
        "turn": state.turn,
        "outcome": code,
        "success": _seats([code in ("win", f"win:{i}") for i in range(game.players)]),
        "score": _seats(list(state.score)),
        "total": _seats(list(state.total)),
        "last_action": _seats(list(state.last_action)),
        "fault": state.fault,
        "illegal": state.illegal,
    }
    if oracle.tree.view:
        seen["view"] = [
            [d.kind, *map(_lists, d.args), _paint(d.color, d.seat, lambda seat: seat)]
            for d in oracle.view(state)
        ]
    return seen


def _paint(color: int | None, seat: Any, drawn: Any) -> Any:
    """A colour by its name, or a seat."""
    return drawn(seat) if color is None else COLORS[color]


def _lists(value: Any) -> Any:
    """Pairs and sequences as lists, all the way down."""
    if isinstance(value, dict):
        return {k: _lists(v) for k, v in value.items()}
    return [_lists(v) for v in value] if isinstance(value, list | tuple) else value
