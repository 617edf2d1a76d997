"""Reset, step and view of a program, in terms of the walker: the same code for both back ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.backends.kit import clamp
from envs_dsl.backends.layout import fresh_fields
from envs_dsl.backends.lookup import lookup_bool
from envs_dsl.backends.machine import AGAIN, FAULT, OUTCOME, SHAPING, Inputs, Key, Shape
from envs_dsl.backends.state import LOSE, NONE, SEAT, WIN, Constants, State, StepOut
from envs_dsl.backends.walker import Walker
from envs_dsl.language.tree import Tree
from envs_dsl.language.vocabulary import ACTIONS, MOVES

__all__ = ["reset", "step", "view"]

_ONE = np.float32(1)


def reset(
    ops: Any,
    tree: Tree,
    notes: dict[int, Any],
    constants: Constants,
    seeds: Any,
    params: Any,
    block: Any,
) -> State:
    """The initial state: seeds int32[B, 2], params float32[B, P], bits uint32[B, 2]."""
    xp = ops.xp
    batch, seats = seeds.shape[0], tree.game.players

    def zeros(*shape: int, dtype: type = np.int32) -> Any:
        return xp.zeros((batch, *shape), dtype)

    inputs = Inputs(constants.ints, constants.floats, params, zeros(), zeros(), block)
    walker = Walker(ops, tree, notes, inputs, {FAULT: zeros(dtype=np.bool_)})
    _load(walker, fresh_fields(tree))
    with ops.quiet():
        walker.run(tree.reset, None)
    return State(
        fields=_fields(walker),
        seed=seeds,
        t=zeros(),
        turn=zeros(),
        params=params,
        outcome=zeros(),
        total=zeros(seats, dtype=np.float32),
        score=zeros(seats, dtype=np.float32),
        last_action=zeros(seats),
        last_reward=zeros(seats, dtype=np.float32),
        fault=walker.env[FAULT],
        illegal=zeros(),
    )


def step(
    ops: Any,
    tree: Tree,
    notes: dict[int, Any],
    constants: Constants,
    state: State,
    actions: Any,
    block: Any,
) -> tuple[State, StepOut]:
    """One step. ``actions`` int32[B, S]; ``block`` uint32[B, 2], the step's random bits."""
    xp = ops.xp
    with ops.quiet():
        legal = _legal(xp, tree, actions)
        actions = xp.where(legal, actions, np.int32(0))
        if tree.game.turns == "alternate":  # whoever is not on turn just waits
            seats = np.arange(tree.game.players, dtype=np.int32)[None]
            on_turn = seats == state.turn[:, None]
            legal, actions = legal | ~on_turn, xp.where(on_turn, actions, np.int32(0))
        inputs = Inputs(
            constants.ints, constants.floats, state.params, state.t, state.turn, block, actions
        )
        env = {
            FAULT: state.fault,
            OUTCOME: state.outcome,
            SHAPING: xp.zeros(state.total.shape, np.float32),
            AGAIN: xp.zeros(state.t.shape, np.bool_),
        }
        walker = Walker(ops, tree, notes, inputs, env)
        _load(walker, state.fields)
        walker.run(tree.step, None)
        kept = {key: value for key, value in walker.env.items() if key[0] != "local"}
        walker.env = ops.hold(kept)
        outcome = walker.env[OUTCOME]
        earned = walker.env[SHAPING] + _verdict(xp, tree, state.outcome, outcome)
        total = clamp(xp, state.total + earned, -_ONE, _ONE)
        t = state.t + np.int32(1)
        terminated = outcome != np.int32(NONE)
        out = StepOut(
            reward=total - state.total,
            terminated=terminated,
            truncated=(t >= constants.max_steps) & ~terminated,
        )
        after = State(
            fields=_fields(walker),
            seed=state.seed,
            t=t,
            turn=_next_turn(walker, state.turn),
            params=state.params,
            outcome=outcome,
            total=total,
            score=state.score + earned,
            last_action=actions,
            last_reward=out.reward,
            fault=walker.env[FAULT],
            illegal=state.illegal + xp.sum(~legal, axis=1, dtype=np.int32),
        )
    return after, out


def view(
    ops: Any, tree: Tree, notes: dict[int, Any], constants: Constants, state: State
) -> tuple[Shape, ...]:
    """The drawings of ``view`` in order (empty when the program has none)."""
    no_bits = np.zeros((1, 2), np.uint32)
    inputs = Inputs(constants.ints, constants.floats, state.params, state.t, state.turn, no_bits)
    walker = Walker(ops, tree, notes, inputs, {FAULT: state.fault})
    walker.drawing = True
    _load(walker, state.fields)
    with ops.quiet():
        walker.run(tree.view, None)
    return tuple(walker.shapes)


def _next_turn(walker: Walker, turn: Any) -> Any:
    """Whose turn comes next: int32[B]."""
    game = walker.tree.game
    if game.turns != "alternate":
        return turn
    following = (turn + np.int32(1)) % np.int32(game.players)
    return walker.xp.where(walker.env[AGAIN], turn, following)


def _legal(xp: Any, tree: Tree, actions: Any) -> Any:
    """Which actions count: the moves and the program's verbs."""
    names = (*MOVES, *tree.game.verbs)
    known = (actions >= np.int32(0)) & (actions < np.int32(len(ACTIONS)))
    table = [name in names for name in ACTIONS]
    return known & lookup_bool(xp, table, xp.where(known, actions, np.int32(0)))


def _verdict(xp: Any, tree: Tree, before: Any, after: Any) -> Any:
    """What the outcome pays in the step in which it comes: float32[B, S] (or one 0 for all)."""
    if xp is np and after is before:
        return np.float32(0)
    won, lost = (after == np.int32(WIN))[:, None], (after == np.int32(LOSE))[:, None]
    zero = np.float32(0)
    paid = xp.where(won, _ONE, xp.where(lost, -_ONE, zero))
    if tree.contest:
        seats = np.arange(tree.game.players, dtype=np.int32)[None] + np.int32(SEAT)
        contested = xp.where(seats == after[:, None], _ONE, -_ONE)
        paid = xp.where((after >= np.int32(SEAT))[:, None], contested, paid)
    return xp.where((before == np.int32(NONE))[:, None], paid, zero)


def _load(walker: Walker, fields: dict[str, Any]) -> None:
    """Put the fields into the walker's variables, with the full batch axis."""
    for name, value in fields.items():
        if isinstance(value, dict):
            for column, array in value.items():
                walker.env["column", name, column] = walker.full(array)
        else:
            walker.env["field", name] = walker.full(value)


def _fields(walker: Walker) -> dict[str, Any]:
    """The fields out of the walker's variables."""
    fields: dict[str, Any] = {}
    for field in walker.tree.fields:
        key: Key = ("field", field.name)
        if field.capacity:
            names = (*walker.columns(field.name), "alive")
            fields[field.name] = {name: walker.column(field.name, name) for name in names}
        else:
            fields[field.name] = walker.env[key]
    return fields
