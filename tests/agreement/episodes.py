"""Episodes in NumPy under random actions, and what the oracle says to each of their steps."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import Oracle, State, one_copy, shaken

from envs_dsl import Program
from envs_dsl.backends import StepOut, numpy_backend

from .same import difference

__all__ = ["Episodes", "Finding", "against_oracle", "levels_of", "play", "same_leaves", "seeds_of"]

SHAKES = 24
"""Roundings under which the oracle is asked again about an answer that it does not share."""


@dataclasses.dataclass(frozen=True)
class Episodes:
    """A batch of episodes: ``actions[t]`` leads from ``states[t]`` to ``states[t + 1]``.

    Attributes:
      seeds: int32[B, 2]. params: float32[B, P]. actions: T of int32[B, S].
      states: T + 1 back-end states. outs: T of ``StepOut``.
    """

    seeds: np.ndarray
    params: np.ndarray
    actions: list[np.ndarray]
    states: list[Any]
    outs: list[Any]


@dataclasses.dataclass(frozen=True)
class Finding:
    """Two answers that differ: at step ``t`` (−1: reset) of a copy; ``tie``: excused by a tie."""

    t: int
    copy: int
    tie: bool
    words: str


def seeds_of(copies: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**31), 2**31, (copies, 2)).astype(np.int32)


def levels_of(program: Program, copies: int, seed: int) -> np.ndarray:
    """A level of its own for every copy, Int parameters among them unrounded on purpose."""
    rng = np.random.default_rng(seed)
    low = np.asarray([p.low for p in program.params], np.float32)
    high = np.asarray([p.high for p in program.params], np.float32)
    share = rng.random((copies, len(low)), np.float32)
    return np.asarray(low + share * (high - low), np.float32)


def same_leaves(one: Any, two: Any) -> bool:
    """Whether two states (or parts of them) are equal, bit for bit; NaN equals NaN."""
    if isinstance(one, dict):
        return set(one) == set(two) and all(same_leaves(one[name], two[name]) for name in one)
    if isinstance(one, tuple):
        return all(same_leaves(a, b) for a, b in zip(one, two, strict=True))
    floats = one.dtype == np.float32
    return bool(one.dtype == two.dtype and np.array_equal(one, two, equal_nan=floats))


def play(program: Program, *, copies: int, steps: int, seed: int = 0) -> Episodes:
    """Episodes in NumPy, played on beyond their ends; a few of the actions are illegal."""
    back = numpy_backend(program)
    constants = back.constants(program)
    seeds, params = seeds_of(copies, seed), levels_of(program, copies, seed)
    rng = np.random.default_rng(seed + 1)
    states, actions, outs = [back.reset(constants, seeds, params)], [], []
    for _ in range(steps):
        action = rng.integers(-1, 21, (copies, program.game.players)).astype(np.int32)
        moves = rng.integers(0, 5, action.shape).astype(np.int32)
        actions.append(np.where(rng.random(action.shape) < 0.5, moves, action))
        state, out = back.step(constants, states[-1], actions[-1])
        states.append(state)
        outs.append(out)
    return Episodes(seeds, params, actions, states, outs)


def against_oracle(program: Program, episodes: Episodes, copies: range) -> list[Finding]:
    """What the oracle contradicts: each step from the very state that NumPy stepped from.

    Also a finding: more work than the static cost allows.
    """
    tree, oracle = program.tree, Oracle(program.tree)
    found: list[Finding] = []

    def compare(t: int, copy: int, ask: Callable[[], State], got: State) -> None:
        words = difference(tree, [ask()], got)
        if words:
            wants = []
            for shake in range(SHAKES):
                with shaken(shake):
                    wants.append(ask())
            found.append(Finding(t, copy, difference(tree, wants, got) is None, words))
        if oracle.work > program.cost.work:
            found.append(Finding(t, copy, False, f"work {oracle.work} > {program.cost.work}"))

    for copy in copies:
        seed, params = tuple(episodes.seeds[copy].tolist()), tuple(episodes.params[copy].tolist())
        states = [one_copy(tree, state, copy) for state in episodes.states]
        compare(-1, copy, functools.partial(oracle.reset, seed, params), states[0])
        for t, out in enumerate(episodes.outs):
            actions = episodes.actions[t][copy].tolist()
            step = functools.partial(oracle.step, states[t], actions)
            compare(t, copy, lambda: step().state, states[t + 1])  # noqa: B023
            got = StepOut(*(leaf[copy].tolist() for leaf in out))
            want = StepOut(states[t + 1].last_reward, *oracle.ended(states[t + 1]))
            if got != want:
                found.append(Finding(t, copy, False, f"{want} and {got}"))
    return found
