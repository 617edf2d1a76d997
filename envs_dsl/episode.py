"""Play one episode of a program and write it down: what ``run`` and ``render`` show."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from envs_dsl.backends import State, jax_backend, numpy_backend, outcome_name
from envs_dsl.language.vocabulary import ACTIONS

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["Episode", "Step", "parse_actions", "play", "policy", "scripted", "state_hash"]

Actions = Callable[[int], np.ndarray]
"""Step number → actions int32[B, S]."""


class Step(NamedTuple):
    """One step of the first copy; with several seats ``action`` is "a:b" and ``reward`` a list."""

    t: int
    action: int | str
    reward: float | list[float]
    terminated: bool
    truncated: bool
    outcome: str | None


class Episode(NamedTuple):
    """An episode: its steps, the sum of rewards, a hash of the last state without its floats.

    ``states`` holds the state before each step and the last one, where they were kept.
    """

    steps: list[Step]
    total: float | list[float]
    state_hash: str
    states: list[State]

    def as_json(self) -> dict[str, Any]:
        """The document that ``run --json`` prints."""
        return {
            "steps": [step._asdict() for step in self.steps],
            "return": self.total,
            "state_hash": self.state_hash,
        }


def parse_actions(text: str, seats: int) -> np.ndarray:
    """``"4,4:2,…"`` as int32[T, S]; seats are parted by colons.

    Raises:
      ValueError: not such a list, or an action is not one of the 20.
    """
    rows = []
    for entry in text.split(","):
        parts = entry.strip().split(":")
        if len(parts) != seats:
            raise ValueError(f"action {entry.strip()!r}: {seats} seats need {seats} numbers")
        for part in parts:
            if not part.isascii() or not part.isdigit() or int(part) >= len(ACTIONS):
                raise ValueError(f"action {part!r} is not a number from 0 to {len(ACTIONS) - 1}")
        rows.append([int(part) for part in parts])
    return np.asarray(rows, np.int32)


def scripted(script: np.ndarray, batch: int) -> Actions:
    """The same script int32[T, S] for every copy."""
    return lambda t: np.broadcast_to(script[t], (batch, script.shape[1])).copy()


def policy(program: Program, name: Literal["random", "noop"], seed: int, batch: int) -> Actions:
    """STAY, or random legal actions; copy b has a stream of its own, fixed by ``seed + b``."""
    seats = program.game.players
    if name == "noop":
        return lambda t: np.zeros((batch, seats), np.int32)
    legal = program.game.actions
    streams = [Random(f"actions {seed + b}") for b in range(batch)]

    def draw(t: int) -> np.ndarray:
        rows = [[legal[int(r.random() * len(legal))] for _ in range(seats)] for r in streams]
        return np.asarray(rows, np.int32)

    return draw


def play(
    program: Program,
    seed: int,
    actions: Actions,
    steps: int,
    backend: Literal["numpy", "jax"] = "numpy",
    batch: int = 1,
    keep: bool = False,
) -> Episode:
    """Play up to ``steps`` steps of ``batch`` copies and report the first.

    Parameters are the declared ones; copy b plays the level of ``seed + b``. It stops when the
    first copy's episode ends.
    """
    engine = numpy_backend(program) if backend == "numpy" else jax_backend(program)
    reset: Callable[..., Any] = engine.reset
    step: Callable[..., Any] = engine.step
    if backend == "jax":
        import jax

        reset, step = jax.jit(reset), jax.jit(step)
    constants = engine.constants(program)
    levels = np.asarray([(seed + b) % (1 << 64) for b in range(batch)], np.uint64)
    seeds = levels.view(np.uint32).reshape(batch, 2).view(np.int32)
    params = np.tile(program.default_params(), (batch, 1)).astype(np.float32)
    state = reset(constants, seeds, params)
    states, found = [state], []
    total = np.zeros(program.game.players)
    for t in range(steps):
        chosen = actions(t)
        if program.game.turns == "alternate":  # what the other seats choose counts as STAY
            on_turn = np.arange(program.game.players) == np.asarray(state.turn)[:, None]
            chosen = np.where(on_turn, chosen, 0).astype(np.int32)
        state, out = step(constants, state, chosen)
        reward = np.asarray(out.reward[0], np.float64)
        total += reward
        ended = bool(out.terminated[0]), bool(out.truncated[0])
        outcome = outcome_name(int(state.outcome[0]))
        found.append(Step(t, _action(chosen[0]), _plain(reward), *ended, outcome))
        if keep:
            states.append(state)
        if any(ended):
            break
    return Episode(found, _plain(total), state_hash(state), states if keep else [state])


def state_hash(state: State, index: int = 0) -> str:
    """16 hexadecimal characters over the Int and Bool leaves of one copy (floats may differ)."""
    hasher = hashlib.sha256()

    def add(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key in sorted(value):
                add(f"{name}.{key}", value[key])
            return
        leaf = np.asarray(value)[index]
        if leaf.dtype.kind in "bi":
            hasher.update(f"{name}{leaf.shape}".encode())
            hasher.update(np.ascontiguousarray(leaf, "<i4").tobytes())

    add("", state._asdict())
    return hasher.hexdigest()[:16]


def _action(seats: np.ndarray) -> int | str:
    return int(seats[0]) if len(seats) == 1 else ":".join(str(int(a)) for a in seats)


def _plain(values: np.ndarray) -> float | list[float]:
    """One number for one seat, else a list; rounded to what a float32 holds."""
    numbers = [float(f"{v:.7g}") for v in values]
    return numbers[0] if len(numbers) == 1 else numbers
