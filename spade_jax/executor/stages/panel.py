"""The panel of triviality: many short-sighted players, all in one batch of episodes.

The cost of a step is mostly that of walking the program once, whatever the batch. So all players
are in one batch, nothing is observed (which actions are legal is known without), and an episode
ends as soon as nothing depends on it any more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import numpy_backend, success, take
from envs_dsl.backends.random import block_of
from envs_dsl.backends.state import DRAW, NONE, SEAT
from envs_dsl.certify import StateKeys
from envs_dsl.interface import ACTIONS
from spade_jax import play

__all__ = ["GREEDY", "KEEN", "RANDOM", "Played", "play_panel"]

RANDOM, GREEDY, KEEN = -1, -2, -3
"""Players beside the actions that can be repeated: random legal play, greed for the reward, and (as
a rival only) random play that takes a win and avoids a defeat where one step ahead shows it."""

_TIE_SALT, _DREAM = 0x71E, 0x2DEA3


@dataclasses.dataclass(frozen=True)
class Played:
    """What became of the episodes of a panel.

    Attributes:
      won: bool[E], seat 0 won. over: bool[E], the episode was played to its end, or cannot be won
        any more; False where it was given up because nothing depended on it.
      env_steps: environment steps taken, those of looking ahead included.
    """

    won: NDArray[np.bool_]
    over: NDArray[np.bool_]
    env_steps: int


def play_panel(
    program: Any,
    seeds: NDArray[np.int32],
    mine: NDArray[np.int32],
    theirs: NDArray[np.int32],
    matters: Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.bool_]],
) -> Played:
    """Play one whole episode for each of E entries, with the declared parameters.

    A greedy player looks one step ahead: it takes the action whose step pays most shaping reward
    (outcomes are left out; ties fall at random). It sees the whole state, but neither the random
    bits of the step nor what the others do. A keen rival in seat 1 sees those too, and looks at
    outcomes.

    Args:
      seeds: int32[E, 2], levels. mine: int32[E], what seat 0 repeats, or RANDOM or GREEDY. theirs:
        int32[E], what the other seats repeat, or RANDOM or KEEN (with seat 0 not GREEDY).
      matters: (won, over) -> bool[E], the episodes on which something still depends; asked
        whenever an episode has ended.
    """
    backend = numpy_backend(program)
    constants = backend.constants(program)
    legal = np.asarray(program.game.actions, np.int32)
    still = _Still(program)
    count = len(seeds)
    won, over = np.zeros(count, bool), np.zeros(count, bool)
    state = backend.reset(constants, seeds, program.default_params()[None].repeat(count, axis=0))
    rows, steps = np.arange(count), 0
    for t in range(program.game.max_steps):
        actions = _actions(program.game, legal, seeds[rows], t, mine[rows], theirs[rows])
        if ((mine[rows] == GREEDY) | (theirs[rows] == KEEN)).any():
            fork = _fork(backend, constants, state, legal, seeds[rows], actions, mine[rows],
                         theirs[rows], t)  # fmt: skip
            following, out, copies = fork
            steps += copies
        else:
            following, out = backend.step(constants, state, actions)
            steps += len(rows)
        ended = out.terminated | out.truncated
        won[rows[ended]] = success(following.outcome)[ended] & out.terminated[ended]
        ended = ended | (still(state, following) & (mine[rows] >= 0))
        over[rows[ended]] = True
        state = following
        if ended.any():
            keep = np.flatnonzero(~ended & matters(won, over)[rows])
            if not len(keep):
                break
            if len(keep) < len(rows):
                state, rows = take(state, keep), rows[keep]
    return Played(won, over, steps)


def _fork(
    backend: Any,
    constants: Any,
    state: Any,
    legal: NDArray[np.int32],
    seeds: NDArray[np.int32],
    actions: NDArray[np.int32],
    mine: NDArray[np.int32],
    theirs: NDArray[np.int32],
    t: int,
) -> tuple[Any, Any, int]:
    """One step in which some look ahead: the next state and step of every row, and copies stepped.

    All in one batch. A keen rival's row has a copy for each of its actions, a greedy player's row
    two: in one the step as it will be, in the other, which it judges by, other random bits and
    other actions of the others.
    """
    greedy, keen, choices = mine == GREEDY, theirs == KEEN, len(legal)
    copies = np.where(greedy, 2 * choices, np.where(keen, choices, 1))
    source = np.repeat(np.arange(len(seeds)), copies)
    first = np.cumsum(copies) - copies
    number = np.arange(len(source)) - first[source]
    times = np.full(len(source), t, np.int32)
    imagined = number >= choices
    dreamt = seeds[source] ^ np.int32(_DREAM)
    bits = np.where(imagined[:, None], dreamt, seeds[source])
    tried = actions[source]
    if tried.shape[1] > 1:
        tried[imagined] = _random(actions.shape[1], legal, dreamt[imagined], t)
    looks = (greedy | keen)[source]
    seat = np.where(greedy, 0, 1)[source]
    ahead = np.flatnonzero(looks)
    tried[ahead, seat[ahead]] = legal[number[ahead] % choices]
    before = state.score[source, 0]
    block = block_of(np, bits, times)
    after, out = backend.step_from(constants, take(state, source), tried, block)
    pay = np.where(seat == 0, _shaping(before, after), _prospect(after.outcome))
    # What is judged by belongs to the copy ``choices`` before it, where it is imagined.
    worth = pay.copy()
    seen = np.flatnonzero(imagined)
    worth[seen - choices] = pay[seen]
    tie = play.uniform(play.hash_bits(seeds, np.full(len(seeds), t, np.int32), _TIE_SALT, ACTIONS))
    order = np.lexsort((tie[source, number % choices], np.round(worth, 5), ~imagined, source))
    chosen = order[first + copies - 1]  # the last of each row's copies in this order is its best
    return take(after, chosen), take(out, chosen), len(source)


def _random(
    seats: int, legal: NDArray[np.int32], seeds: NDArray[np.int32], t: int
) -> NDArray[np.int32]:
    """A random legal action for every seat: int32[n, S]."""
    allowed = np.zeros((len(seeds), seats, ACTIONS), bool)
    allowed[:, :, legal] = True
    return play.random_actions(allowed, seeds, np.full(len(seeds), t, np.int32), 0)


def _actions(
    game: Any,
    legal: NDArray[np.int32],
    seeds: NDArray[np.int32],
    t: int,
    mine: NDArray[np.int32],
    theirs: NDArray[np.int32],
) -> NDArray[np.int32]:
    """int32[n, S]; of a greedy player a random action, to be replaced.

    Where turns alternate, the actions of those not on turn count for nothing.
    """
    drawn = _random(game.players, legal, seeds, t)
    seats = np.arange(game.players)
    repeated = np.where(seats == 0, mine[:, None], theirs[:, None])
    return np.where(repeated < 0, drawn, repeated).astype(np.int32)


def _shaping(before: NDArray[np.float32], after: Any) -> NDArray[np.float32]:
    """Seat 0's pay in the step, without what the outcome paid: float32[n]."""
    outcome = after.outcome
    verdict = np.where(success(outcome), 1, np.where((outcome == NONE) | (outcome == DRAW), 0, -1))
    return after.score[:, 0] - before - verdict.astype(np.float32)


def _prospect(outcome: NDArray[np.int32]) -> NDArray[np.float32]:
    """What seat 1 thinks of an outcome: 1 its own win, -1 another's, 0 else; float32[n]."""
    won = outcome == SEAT + 1
    return won.astype(np.float32) - ((outcome >= SEAT) & ~won)


class _Still:
    """Episodes that go on as they are: alone, and where neither clock nor draws have a say."""

    def __init__(self, program: Any) -> None:
        keys = StateKeys(program.tree)
        self._keys = keys if keys.timeless and program.game.players == 1 else None

    def __call__(self, before: Any, after: Any) -> NDArray[np.bool_]:
        """bool[n]: nothing has changed that the end depends on."""
        if self._keys is None:
            return np.zeros(len(before.t), bool)
        pairs = zip(self._keys.keys(before), self._keys.keys(after))
        return np.fromiter((one == two for one, two in pairs), bool, len(before.t))
