"""Smoke: the program runs, and what comes out of it is what a learner can use.

Random play in a few dozen copies, each of them twice: row i and row 2n−1−i of one batch are the
same level, the same parameters and the same actions, so whatever differs between them comes from
the place in the batch. A second, shorter run of some of the rows alone shows what differs from call
to call and with the size of the batch.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import numpy_backend
from envs_dsl.interface import ACTIONS, CELL_CHANNELS, COLORS, HUD, VIEW, Observation
from spade_jax import play
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["smoke"]

_SEED, _STREAM = 0x50CE, 0x200
_STICKY = 6  # steps for which sticky random play keeps to one draw
_AGAIN = 12  # steps of the second run
_TOLERANCE = 1e-5
# Largest legal value of a cell's channels: colour, variant, tags, occupant, leading field, number.
_CELL_MAX = np.asarray([len(COLORS) - 1, 3, 255, 7, 255, 255], np.uint8)
_BOUNDED = np.flatnonzero(_CELL_MAX < 255)


@dataclasses.dataclass
class _Watch:
    """What has been seen so far, by row of the batch (2n rows; see the module's text)."""

    finite: NDArray[np.bool_]
    in_range: NDArray[np.bool_]
    same: NDArray[np.bool_]
    ended: NDArray[np.bool_]
    rewarded: NDArray[np.bool_]
    faults: NDArray[np.bool_]
    lengths: NDArray[np.int32]

    @classmethod
    def start(cls, rows: int) -> _Watch:
        def full(value: bool) -> NDArray[np.bool_]:
            return np.full(rows, value)

        return cls(
            full(True), full(True), full(True), full(False), full(False), full(False),
            np.zeros(rows, np.int32),
        )  # fmt: skip


def smoke(candidate: Candidate) -> Finding:
    """Run the program under random play.

    Ends with BAD_OBSERVATION, NOT_FINITE, NONDETERMINISTIC, NEVER_ENDS or FAULT. That no run met
    any reward is passed on: the certificate may know a way to some.

    Half of the runs are uniformly random, half sticky; half use the program's own parameters, half
    are spread over the whole range of difficulty. ``stability`` is the share of healthy runs.
    """
    program, config = candidate.program, candidate.config
    backend = numpy_backend(program)
    constants = backend.constants(program)
    runs = 2 * config.smoke_episodes
    mirror = np.concatenate([np.arange(runs), np.arange(runs)[::-1]])
    seeds = play.episode_seeds(_SEED, runs, _STREAM)[mirror]
    params = _params(program, runs)[mirror]
    sticky = (np.arange(runs) % 2 == 1)[mirror]

    watch = _Watch.start(len(mirror))
    state = backend.reset(constants, seeds, params)
    again = _SecondRun(backend, constants, seeds[: runs // 2], params[: runs // 2])
    for t in range(program.game.max_steps):
        observation = backend.observe(constants, state)
        if problem := _misshapen(observation, len(seeds), program.game.players):
            return Finding(Reason.BAD_OBSERVATION, {"problem": problem}, problem)
        actions = _actions(observation, seeds, t, sticky)
        state, out = backend.step(constants, state, actions)
        _look(watch, observation, state, out)
        if t < _AGAIN:
            watch.same[: runs // 2] &= again.follow(observation, actions, out)
        if watch.ended.all():
            break
    leaves = [_by_row(leaf) for leaf in _leaves(state)]
    for leaf in leaves:
        watch.same &= _like_mirror(leaf)
    return _judge(watch, runs, config.min_stability)


def _params(program: Any, runs: int) -> NDArray[np.float32]:
    """float32[runs, P]: pairs of rows in turn at the program's own values and at a difficulty."""
    default = program.default_params()
    spread = np.linspace(0.0, 1.0, max(1, runs // 2))
    rows = [
        default if i // 2 % 2 == 0 else program.params_at(float(spread[i // 2]))
        for i in range(runs)
    ]
    return np.asarray(rows, np.float32).reshape(runs, len(program.params))


def _actions(
    observation: Observation, seeds: NDArray[np.int32], t: int, sticky: NDArray[np.bool_]
) -> NDArray[np.int32]:
    time = np.where(sticky, t // _STICKY, t).astype(np.int32)
    return play.random_actions(observation.legal, seeds, time, 0)


def _misshapen(observation: Observation, rows: int, seats: int) -> str:
    """What is wrong with the arrays of an observation, "" if nothing."""
    expected = {
        "cells": ((rows, seats, VIEW, VIEW, CELL_CHANNELS), np.uint8),
        "hud": ((rows, seats, HUD), np.float32),
        "legal": ((rows, seats, ACTIONS), np.bool_),
    }
    for name, (shape, dtype) in expected.items():
        array = getattr(observation, name)
        if array.shape != shape or array.dtype != dtype:
            return f"{name} is {array.dtype}{list(array.shape)}, not {np.dtype(dtype)}{list(shape)}"
    return ""


def _look(watch: _Watch, observation: Observation, state: Any, out: Any) -> None:
    """Take in one step. Only running rows count."""
    running = ~watch.ended
    cells, hud, legal = (_by_row(part) for part in observation)
    reward = _by_row(out.reward)
    ended = out.terminated | out.truncated
    watch.finite &= ~running | (np.isfinite(hud).all(1) & np.isfinite(reward).all(1))
    for channel in _BOUNDED:
        if (observation.cells[..., channel] > _CELL_MAX[channel]).any():
            watch.in_range &= _by_row(observation.cells[..., channel] <= _CELL_MAX[channel]).all(1)
    watch.in_range &= _by_row(observation.legal.any(-1)).all(1)
    watch.in_range &= ~running | (np.abs(_by_row(state.total)) <= 1 + _TOLERANCE).all(1)
    for part in (cells, hud, legal, reward, ended[:, None], out.terminated[:, None]):
        watch.same &= _like_mirror(part)
    watch.rewarded |= running & (reward != 0).any(1)
    watch.lengths += running
    watch.faults |= running & state.fault
    watch.ended |= ended


class _SecondRun:
    """The first rows played once more, alone, with the actions of the first run."""

    def __init__(self, backend: Any, constants: Any, seeds: Any, params: Any) -> None:
        self._backend, self._constants = backend, constants
        self._rows = len(seeds)
        self._state = backend.reset(constants, seeds, params)

    def follow(self, observation: Observation, actions: Any, out: Any) -> NDArray[np.bool_]:
        """One step; bool[rows]: everything was as in the first run."""
        rows = slice(0, self._rows)
        seen = self._backend.observe(self._constants, self._state)
        self._state, result = self._backend.step(self._constants, self._state, actions[rows])
        same = np.ones(self._rows, bool)
        pairs = [*zip(seen, observation), *zip(result, out)]
        for mine, theirs in pairs:
            same &= _equal(_by_row(mine), _by_row(theirs[rows]))
        return same


def _by_row(array: Any) -> NDArray:
    return np.asarray(array).reshape(len(array), -1)


def _equal(a: NDArray, b: NDArray) -> NDArray[np.bool_]:
    """bool[rows]: integers equal, floats equal within the tolerance of the back ends."""
    if a.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # infinity minus infinity: found by ``finite``
            close = np.abs(a - b) <= _TOLERANCE * (1 + np.abs(b))
        return (close | (a == b) | (np.isnan(a) & np.isnan(b))).all(1)
    return (a == b).all(1)


def _like_mirror(array: NDArray) -> NDArray[np.bool_]:
    """bool[rows]: a row equals the one that is as far from the other end."""
    half = len(array) // 2
    first = _equal(array[:half], array[::-1][:half])
    return np.concatenate([first, first[::-1]])


def _leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in _leaves(value)]
    if isinstance(tree, tuple):
        return [leaf for value in tree for leaf in _leaves(value)]
    return [tree]


def _judge(watch: _Watch, runs: int, min_stability: float) -> Finding:
    """The finding: the worst first."""
    healthy = watch.finite & watch.in_range & watch.same & watch.ended & ~watch.faults
    stability = float(healthy[:runs].mean())
    steps = int(watch.lengths.sum()) + min(_AGAIN, int(watch.lengths.max())) * (runs // 2)
    detail = {
        "runs": runs,
        "stability": stability,
        "faults": int(watch.faults[:runs].sum()),
        "rewarded": int(watch.rewarded[:runs].sum()),
        "mean_length": float(watch.lengths[:runs].mean()),
    }

    def end(reason: Reason, good: NDArray[np.bool_], text: str) -> Finding:
        bad = int((~good[:runs]).sum())
        return Finding(reason, detail, f"{text} in {bad} of {runs} runs", steps, learned)

    learned = {"stability": stability, "rewarded": bool(watch.rewarded.any())}
    if not watch.in_range.all():
        return end(Reason.BAD_OBSERVATION, watch.in_range, "an observation is out of range")
    if not watch.finite.all():
        return end(Reason.NOT_FINITE, watch.finite, "a value is not finite")
    if not watch.same.all():
        text = "the same seed and actions gave something else"
        return end(Reason.NONDETERMINISTIC, watch.same, text)
    if not watch.ended.all():
        return end(Reason.NEVER_ENDS, watch.ended, "no end within max_steps")
    if stability < min_stability:
        return end(Reason.FAULT, ~watch.faults, "a fault (NaN stored, or no cell to draw from)")
    return Finding(detail=detail, env_steps=steps, learned=learned)
