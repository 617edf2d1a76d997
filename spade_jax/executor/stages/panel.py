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

from envs_dsl.backends import numpy_backend, success
from envs_dsl.backends.state import DRAW, NONE
from envs_dsl.certify import StateKeys
from envs_dsl.interface import ACTIONS
from envs_dsl.language.vocabulary import ACTIONS as ACTION_NAMES
from envs_dsl.language.vocabulary import MOVES
from spade_jax import play

__all__ = ["GREEDY", "RANDOM", "Played", "legal_actions", "play_panel"]

RANDOM, GREEDY = -1, -2
"""Players beside the actions that can be repeated: random legal play, and greed for the reward."""

_TIE_SALT = 0x71E


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


def legal_actions(program: Any) -> tuple[int, ...]:
    """The moves and the program's verbs."""
    return (*range(len(MOVES)), *(ACTION_NAMES.index(verb) for verb in program.game.verbs))


def play_panel(
    program: Any,
    seeds: NDArray[np.int32],
    mine: NDArray[np.int32],
    theirs: NDArray[np.int32],
    matters: Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.bool_]],
) -> Played:
    """Play one whole episode for each of E entries, with the declared parameters.

    A greedy player looks one step ahead: it takes the action whose step pays most shaping reward
    (outcomes are left out; ties fall at random). It knows the random bits of that step.

    Args:
      seeds: int32[E, 2], levels. mine: int32[E], what seat 0 repeats, or RANDOM or GREEDY. theirs:
        int32[E], what the other seats repeat, or RANDOM.
      matters: (won, over) -> bool[E], the episodes on which something still depends; asked
        whenever an episode has ended.
    """
    backend = numpy_backend(program)
    constants = backend.constants(program)
    legal = np.asarray(legal_actions(program), np.int32)
    still = _Still(program)
    count = len(seeds)
    won, over = np.zeros(count, bool), np.zeros(count, bool)
    state = backend.reset(constants, seeds, program.default_params()[None].repeat(count, axis=0))
    rows, steps = np.arange(count), 0
    for t in range(program.game.max_steps):
        actions = _actions(program.game, legal, seeds[rows], t, mine[rows], theirs[rows])
        fork = np.where(mine[rows] == GREEDY, len(legal), 1)
        if fork.max() > 1:
            source = np.repeat(np.arange(len(rows)), fork)
            first = np.cumsum(fork) - fork
            number = np.arange(len(source)) - first[source]
            actions = actions[source]
            looking = fork[source] > 1
            actions[looking, 0] = legal[number[looking]]
            before = state.score[source, 0]
            after, out = backend.step(constants, _take(state, source), actions)
            pay = _shaping(before, after)
            bits = play.hash_bits(seeds[rows], np.full(len(rows), t, np.int32), _TIE_SALT, ACTIONS)
            tie = play.uniform(bits)[source, number]
            # The last of each row's copies in this order is its best.
            order = np.lexsort((tie, np.round(pay, 5), source))
            chosen = order[first + fork - 1]
            following, out = _take(after, chosen), _take(out, chosen)
            steps += len(source)
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
                state, rows = _take(state, keep), rows[keep]
    return Played(won, over, steps)


def _actions(
    game: Any,
    legal: NDArray[np.int32],
    seeds: NDArray[np.int32],
    t: int,
    mine: NDArray[np.int32],
    theirs: NDArray[np.int32],
) -> NDArray[np.int32]:
    """int32[n, S]; of a greedy player a random action, to be replaced."""
    allowed = np.zeros((len(seeds), game.players, ACTIONS), bool)
    allowed[:, :, legal] = True
    if game.turns == "alternate" and game.players > 1:
        waiting = np.arange(game.players) != t % game.players
        allowed[:, waiting, 1:] = False
    drawn = play.random_actions(allowed, seeds, np.full(len(seeds), t, np.int32), 0)
    seats = np.arange(game.players)
    repeated = np.where(seats == 0, mine[:, None], theirs[:, None])
    return np.where(repeated < 0, drawn, repeated).astype(np.int32)


def _shaping(before: NDArray[np.float32], after: Any) -> NDArray[np.float32]:
    """Seat 0's pay in the step, without what the outcome paid: float32[n]."""
    outcome = after.outcome
    verdict = np.where(success(outcome), 1, np.where((outcome == NONE) | (outcome == DRAW), 0, -1))
    return after.score[:, 0] - before - verdict.astype(np.float32)


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


def _take(tree: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(tree, dict):
        return {name: _take(value, rows) for name, value in tree.items()}
    if isinstance(tree, tuple):
        return type(tree)(*(_take(value, rows) for value in tree))
    return tree[rows]
