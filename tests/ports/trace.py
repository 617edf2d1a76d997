"""An original and its port, step by step."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import numpy as np

from envs_dsl import Program, library
from envs_dsl.backends import numpy_backend
from envs_dsl.backends.state import State

__all__ = ["Original", "Result", "Transition", "compare"]

COPIES = 100
RENEWED = 0.02
"""Chance a step that a copy is put into another forced state although its episode goes on."""
TOLERANCE = 1e-5
MANY = 4096
"""Levels by which the two resets' distributions are compared."""


class Transition(NamedTuple):
    """What the original's step gave: its states, and float32[B], bool[B], bool[B]."""

    states: Any
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class Original:
    """An environment that was ported, in batches.

    Attributes:
      name: the package and its name there. port: the program's name.
      actions: our action for each of the original's.
      unit: our score for a reward of 1.
      exact: whether its state has no floats. One that has is compared one step at a time: each
        step starts from the original's state.
    """

    name: str
    port: str
    actions: tuple[int, ...]
    unit: float = 1.0
    exact: bool = True

    def starts(self, rng: np.random.Generator, count: int) -> Any:
        """``count`` states to start from, chosen to reach every rule."""
        raise NotImplementedError

    def step(self, states: Any, actions: np.ndarray, draws: Any) -> Transition:
        """One step of all copies with given random draws."""
        raise NotImplementedError

    def fields(self, states: Any, returned: np.ndarray) -> dict[str, Any]:
        """Its states in our fields; ``returned``: the sum of its rewards since the start."""
        raise NotImplementedError

    def time(self, states: Any) -> np.ndarray:
        """Completed steps: int32[B]."""
        return np.asarray(states.time)

    def draws(self, ours: Port, block: np.ndarray) -> Any:
        """The draws that our program makes of the random bits ``block`` uint32[B, 2]."""
        return None

    def levels(self, fields: dict[str, Any]) -> Any:
        """States after its reset, had it drawn what our ``reset`` drew to make ``fields``."""
        raise NotImplementedError

    def own_levels(self, seed: int, count: int) -> Any:
        """States after its reset, with its own draws."""
        raise NotImplementedError

    def take(self, states: Any, rows: np.ndarray) -> Any:
        """Some of the states."""
        return jax.tree.map(lambda leaf: np.asarray(leaf)[rows], states)

    def put(self, states: Any, mask: np.ndarray, fresh: Any) -> Any:
        """The states with those of ``fresh`` where ``mask`` bool[B] holds."""
        return _choose(mask, fresh, states)


class Port:
    """Our side: the NumPy back end with forced states."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.backend = numpy_backend(self.program)
        self.constants = self.backend.constants(self.program)

    def reset(self, rng: np.random.Generator, copies: int) -> State:
        seeds = rng.integers(-(2**31), 2**31, (copies, 2)).astype(np.int32)
        params = np.tile(self.program.default_params(), (copies, 1)).astype(np.float32)
        return self.backend.reset(self.constants, seeds, params)

    def forced(self, state: State, fields: dict[str, Any], time: np.ndarray) -> State:
        """``state`` with other fields and another clock."""
        like = jax.tree.map(lambda ours, new: np.asarray(new, ours.dtype), state.fields, fields)
        return state._replace(fields=like, t=np.asarray(time, np.int32))

    def step(self, state: State, actions: np.ndarray, block: np.ndarray) -> Any:
        return self.backend.step_from(self.constants, state, actions[:, None], block)


@dataclasses.dataclass
class Result:
    """What a comparison covered, and what differed (at most ten lines, none if all is well).

    ``levels`` were made by both sides from our draws, ``own_levels`` by each from its own;
    ``terminated``, ``truncated`` and ``rewarded`` are steps.
    """

    port: str
    original: str
    steps: int = 0
    levels: int = 0
    own_levels: int = 0
    terminated: int = 0
    truncated: int = 0
    rewarded: int = 0
    greatest_float_error: float = 0.0
    differences: list[str] = dataclasses.field(default_factory=list)

    def differ(self, line: str) -> None:
        if len(self.differences) < 10:
            self.differences.append(line)


def compare(
    original: Original, steps: int, program: Program | None = None, seed: int = 0
) -> Result:
    """At least ``steps`` steps of ``COPIES`` copies, and a level each of our ``reset``.

    Args:
      program: the port; by default the bundled one.
    """
    result = Result(original.port, original.name)
    rng = np.random.default_rng(seed)
    ours = Port(program or next(p for p in library.ports() if p.name == original.port))
    _levels(original, ours, rng, result)

    pool = original.starts(rng, 8 * COPIES)
    theirs = original.take(pool, np.arange(COPIES))
    returned = np.zeros(COPIES, np.float64)
    blank = ours.reset(rng, COPIES)
    state = ours.forced(blank, original.fields(theirs, returned), original.time(theirs))
    for number in range(-(-steps // COPIES)):
        choice = rng.integers(0, len(original.actions), COPIES)
        block = rng.integers(0, 2**32, (COPIES, 2), np.uint32)
        actions = np.asarray(original.actions, np.int32)[choice]
        state, out = ours.step(state, actions, block)
        found = original.step(theirs, choice, original.draws(ours, block))
        theirs, returned = found.states, returned + np.asarray(found.reward, np.float64)

        where = f"step {number}"
        fields = original.fields(theirs, returned)
        _same(f"{where} fields", state.fields, fields, result)
        _same(f"{where} t", state.t, original.time(theirs), result)
        terminated, truncated = np.asarray(found.terminated), np.asarray(found.truncated)
        _same(f"{where} terminated", out.terminated, terminated, result)
        # Ours says "truncated" only where there is no outcome.
        _same(f"{where} truncated", out.truncated, truncated & ~terminated, result)
        _same(f"{where} score", state.score[:, 0], np.float32(original.unit * returned), result)
        if np.any(np.abs(state.total) > 1):
            result.differ(f"{where}: more than 1 was paid")
        result.steps += COPIES
        result.terminated += int(terminated.sum())
        result.truncated += int((truncated & ~terminated).sum())
        result.rewarded += int(np.count_nonzero(found.reward))

        if not original.exact:
            state = ours.forced(state, fields, state.t)
        renew = terminated | truncated | (rng.random(COPIES) < RENEWED)
        fresh = original.take(pool, rng.integers(0, 8 * COPIES, COPIES))
        begun = ours.forced(blank, original.fields(fresh, np.zeros(COPIES)), original.time(fresh))
        theirs, state = original.put(theirs, renew, fresh), _choose(renew, begun, state)
        returned = np.where(renew, 0.0, returned)
    return result


def _levels(original: Original, ours: Port, rng: np.random.Generator, result: Result) -> None:
    state = ours.reset(rng, COPIES)
    theirs = original.levels(state.fields)
    _same("reset", state.fields, original.fields(theirs, np.zeros(COPIES)), result)
    _same("reset t", state.t, original.time(theirs), result)
    result.levels = COPIES
    # With its own draws it makes the same levels, equally often.
    state = ours.reset(rng, MANY)
    theirs = original.own_levels(0, MANY)
    _alike("reset", state.fields, original.fields(theirs, np.zeros(MANY)), result)
    result.own_levels = MANY


def _same(where: str, ours: Any, theirs: Any, result: Result) -> None:
    """Record a difference: ints and bools exactly, floats within ``TOLERANCE``."""
    if isinstance(ours, dict):
        if ours.keys() != theirs.keys():
            result.differ(f"{where}: {sorted(ours)} against {sorted(theirs)}")
            return
        for name, value in ours.items():
            _same(f"{where}.{name}", value, theirs[name], result)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        result.differ(f"{where}: shape {ours.shape} against {theirs.shape}")
        return
    if ours.dtype == np.float32:
        error = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
        result.greatest_float_error = max(result.greatest_float_error, float(error.max()))
        wrong = ~(error <= TOLERANCE)
    else:
        wrong = ours != theirs
    if wrong.any():
        copies = np.unique(np.nonzero(wrong)[0])
        first = copies[0]
        result.differ(
            f"{where}: {len(copies)} copies, the first is {first}: "
            f"{ours[first].tolist()} against {theirs[first].tolist()}"
        )


def _alike(where: str, ours: Any, theirs: Any, result: Result) -> None:
    """Record a difference of distribution: the share of any value at any place, by five sigma."""
    if isinstance(ours, dict):
        for name, value in ours.items():
            _alike(f"{where}.{name}", value, theirs[name], result)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.dtype == np.float32:  # in tenths of the original's range
        low, high = theirs.min(), theirs.max()
        ours, theirs = (np.floor(9.99 * (x - low) / (high - low)) for x in (ours, theirs))
    for value in np.union1d(ours, theirs):
        shares = [(x == value).mean(axis=0) for x in (ours, theirs)]
        middle = (shares[0] + shares[1]) / 2
        margin = 5 * np.sqrt(2 * middle * (1 - middle) / MANY)
        wrong = np.abs(shares[0] - shares[1]) > margin
        if np.any(wrong):
            at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
            found = [float(np.atleast_1d(share)[at]) for share in shares]
            result.differ(f"{where}{list(at)}: {value} has share {found[0]} against {found[1]}")


def _choose(mask: np.ndarray, yes: Any, no: Any) -> Any:
    def one(a: Any, b: Any) -> np.ndarray:
        a, b = np.asarray(a), np.asarray(b)
        return np.where(mask.reshape(-1, *(1,) * (a.ndim - 1)), a, b)

    return jax.tree.map(one, yes, no)
