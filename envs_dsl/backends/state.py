"""What flows through both back ends: the state, what a step gives, and a program's constants.

Every array has a leading batch axis B; S is the number of seats (players). No JAX here: the leaves
are NumPy arrays in one back end and JAX arrays in the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "DRAW",
    "LOSE",
    "NONE",
    "SEAT",
    "WIN",
    "Constants",
    "State",
    "StepOut",
    "map_leaves",
    "outcome_name",
    "success",
    "take",
]

NONE, WIN, LOSE, DRAW, SEAT = 0, 1, 2, 3, 4
"""Outcome codes: none yet, won, lost, drawn, and ``SEAT + i`` for "seat i won a contest"."""


class Constants(NamedTuple):
    """What programs of one skeleton may differ in; an argument of everything, never baked in.

    Attributes:
      ints: int32[n], the hoisted Int literals by slot.
      floats: float32[n], the hoisted Float literals by slot.
      max_steps: int32[], the step limit.
    """

    ints: Any
    floats: Any
    max_steps: Any


class State(NamedTuple):
    """Everything that a copy of an environment remembers.

    Attributes:
      fields: the declared fields: Bool bool[B], Int/enum/Dir int32[B], Float float32[B], Pos
        int32[B, 2], Vec2 float32[B, 2], Grid [B, H, W], Array [B, N] or [B, N, 2]; a table is a
        dict of columns [B, N] or [B, N, 2] and "alive" bool[B, N].
      seed: int32[B, 2], fixed by ``reset``.
      t: int32[B], completed steps.
      turn: int32[B], the seat on turn where turns alternate, else 0.
      params: float32[B, P], the level's parameters.
      outcome: int32[B], an outcome code; the first one stays.
      total: float32[B, S], reward paid so far (within [-1, 1]).
      score: float32[B, S], reward so far before clamping.
      last_action: int32[B, S], the action that counted (STAY in place of an illegal one).
      last_reward: float32[B, S].
      fault: bool[B], a NaN was stored or paid, or ``random_cell`` found no cell.
      illegal: int32[B], illegal actions so far.
    """

    fields: dict[str, Any]
    seed: Any
    t: Any
    turn: Any
    params: Any
    outcome: Any
    total: Any
    score: Any
    last_action: Any
    last_reward: Any
    fault: Any
    illegal: Any


class StepOut(NamedTuple):
    """``reward`` float32[B, S]; bool[B]: ``terminated`` (an outcome exists) and ``truncated``."""

    reward: Any
    terminated: Any
    truncated: Any


def success(outcome: Any, seat: int = 0) -> Any:
    """Whether the game was won by ``seat``: bool of the shape of ``outcome`` (int32)."""
    return (outcome == WIN) | (outcome == SEAT + seat)


def outcome_name(code: int) -> str | None:
    """An outcome code in words: None, "win", "lose", "draw" or "win:i"."""
    return f"win:{code - SEAT}" if code >= SEAT else (None, "win", "lose", "draw")[code]


def map_leaves(change: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The same structure with ``change(leaf, …)`` in place of every array.

    Args:
      tree: a state, a step's result or an observation: NamedTuples and dicts of arrays.
      others: more of the same structure, whose leaves ``change`` is given too.
    """
    if isinstance(tree, dict):
        return {key: map_leaves(change, tree[key], *(o[key] for o in others)) for key in tree}
    if isinstance(tree, tuple):
        parts = zip(tree, *others, strict=True)
        return type(tree)(*(map_leaves(change, *part) for part in parts))
    return change(tree, *others)


def take(tree: Any, rows: Any) -> Any:
    """Copies ``rows`` (int[n], bool[B] or a slice) of a batch: every leaf is indexed with it."""
    return map_leaves(lambda leaf: leaf[rows], tree)
