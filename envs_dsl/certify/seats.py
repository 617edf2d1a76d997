"""Who plays what during a search: the actions that are tried in every state of a step."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends.random import fmix32
from envs_dsl.language.types import Game

__all__ = ["MOST_JOINT", "Choices"]

MOST_JOINT = 256
"""Joint actions that are tried in a state; where there are more, a random share is."""


@dataclasses.dataclass(frozen=True)
class Choices:
    """Which actions are tried.

    Attributes:
      game: for seats, turns and verbs.
      seat: the seat that searches, while all others play at random, the same in all states of a
        step (a hash of level and time, as for an opponent who does not look); None: all search
        together.
    """

    game: Game
    seat: int | None = None

    @property
    def alternate(self) -> bool:
        """One seat at a time is heard."""
        return self.game.turns == "alternate" and self.game.players > 1

    def heard(
        self, actions: NDArray[np.int32], turn: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Joint actions [n, A, S] in states whose turn is ``turn`` [n], and which of them to try.

        Seats that are not heard stay; where that makes all actions of a state the same, the first
        of them is enough.
        """
        tried = np.ones(actions.shape[:2], bool)
        if not self.alternate:
            return actions, tried
        heard = np.arange(self.game.players) == turn[:, None]
        if self.seat is not None:
            tried[turn != self.seat, 1:] = False
        return np.where(heard[:, None], actions, np.int32(0)), tried

    def complete(self) -> bool:
        """Whether every play of all seats is among the choices."""
        alone = self.game.players == 1
        if self.seat is not None and not alone:
            return False
        movers = 1 if self.alternate else self.game.players
        return len(self.game.actions) ** movers <= MOST_JOINT

    def at(self, seed: NDArray[np.int32], t: int) -> NDArray[np.int32]:
        """The actions tried in every state at time ``t`` of the level ``seed`` [2]: int32[A, S].

        Where turns alternate, only the entry of the seat on turn counts (see ``heard``).
        """
        game = self.game
        legal = game.actions
        options: list[tuple[int, ...]] = [legal] * game.players
        if self.seat is not None:
            drawn = self._random(seed, t, game.players)
            options = [
                legal if s == self.seat else (legal[int(drawn[s]) % len(legal)],)
                for s in range(game.players)
            ]
        elif self.alternate:
            return np.repeat(np.asarray(legal, np.int32)[:, None], game.players, axis=1)
        count = int(np.prod([len(o) for o in options]))
        if count <= MOST_JOINT:
            return np.asarray(list(itertools.product(*options)), np.int32)
        drawn = self._random(seed, t, MOST_JOINT * game.players).reshape(-1, game.players)
        columns = [np.asarray(o, np.int32)[drawn[:, s] % len(o)] for s, o in enumerate(options)]
        return np.unique(np.stack(columns, axis=1), axis=0)

    def _random(self, seed: NDArray[np.int32], t: int, count: int) -> NDArray[np.uint32]:
        words = np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x85EBCA77)
        for word in (*seed.view(np.uint32), np.uint32(t + 1)):
            words = fmix32(words ^ word)
        return words
