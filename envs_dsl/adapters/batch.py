"""Copies of one program on the NumPy back end, seen from seat 0: what both environments run on."""

from __future__ import annotations

from typing import Any

import numpy as np

from envs_dsl.adapters.levels import Levels
from envs_dsl.backends import State, numpy_backend, outcome_name, success
from envs_dsl.language.vocabulary import ACTIONS
from envs_dsl.program import Program
from envs_dsl.rivals import rival_actions

__all__ = ["Batch"]


class Batch:
    """B copies; the other seats act by ``envs_dsl.rivals``.

    Attributes:
      state: the back end's state, leading axis B; before the first ``reset`` there is none.
      difficulty: float64[B], what each copy's level was made from.
    """

    state: State

    def __init__(self, program: Program, copies: int) -> None:
        self.program, self.copies = program, copies
        self.difficulty = np.full(copies, 0.5)
        self._backend = numpy_backend(program)
        self._constants = self._backend.constants(program)

    def reset(self, rows: np.ndarray, levels: Levels) -> None:
        """Start new episodes in the copies ``rows`` int[n]; ``levels`` are theirs."""
        assert levels.seeds is not None
        fresh = self._backend.reset(self._constants, levels.seeds, levels.params)
        whole = len(rows) == self.copies
        self.state = fresh if whole else _replaced(self.state, rows, fresh)
        self.difficulty = self.difficulty.copy()
        self.difficulty[rows] = levels.difficulty

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Seat 0 plays ``actions`` int[B]: reward float64[B], terminated and truncated bool[B].

        Numbers of any size: no action is taken for another one that it equals in 32 bits.
        """
        state = self.state
        chosen = rival_actions(np, self.program.game, state.seed, state.t)
        given = np.broadcast_to(np.asarray(actions), (self.copies,))
        known = (given >= 0) & (given < len(ACTIONS))
        chosen[:, 0] = -1
        chosen[known, 0] = given[known]
        self.state, out = self._backend.step(self._constants, state, chosen)
        return out.reward[:, 0].astype(np.float64), out.terminated.copy(), out.truncated.copy()

    def observe(self, space: Any) -> dict[str, np.ndarray]:
        """What seat 0 sees, each with a leading axis of B.

        The hud is held within the space's bounds: scaling may round past them by a last digit.
        """
        found = self._backend.observe(self._constants, self.state)
        hud = space["hud"]
        return {
            "cells": np.ascontiguousarray(found.cells[:, 0]),
            "hud": np.clip(found.hud[:, 0], hud.low, hud.high),
            "legal": found.legal[:, 0].astype(np.int8),
        }

    def info(self) -> dict[str, Any]:
        """What ``info`` holds beside the observation, each with a leading axis of B."""
        state = self.state
        names = np.full(self.copies, None, object)
        for row in np.flatnonzero(state.outcome):
            names[row] = outcome_name(int(state.outcome[row]))
        return {
            "difficulty": self.difficulty.copy(),
            "level": {"seed": np.array(state.seed), "params": np.array(state.params)},
            "outcome": names,
            "success": np.asarray(success(state.outcome)),
            "illegal": np.asarray(state.illegal, np.int64),
            "score": np.asarray(state.score[:, 0], np.float64),
        }


def _replaced(state: Any, rows: np.ndarray, fresh: Any) -> Any:
    """``state`` with some copies replaced by those of ``fresh``."""
    if isinstance(state, dict):
        return {name: _replaced(value, rows, fresh[name]) for name, value in state.items()}
    if isinstance(state, tuple):
        return State(*(_replaced(a, rows, b) for a, b in zip(state, fresh)))
    mixed = np.array(state)
    mixed[rows] = fresh
    return mixed
