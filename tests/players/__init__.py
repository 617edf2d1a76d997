"""Scripted players of the games in ``envs_dsl/library/games``, one file a game.

Each file has ``win(s)``, which plays to win, and ``lose(s)``, which does not. Both take what one
level shows (see ``View``) and give an action by its name, or a list of actions to play one after
another before they are asked again. With two players both take a seat too.
They know the game, hidden fields included: the question is whether it can be won, not how to learn
it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from types import SimpleNamespace
from typing import Any

import numpy as np

from envs_dsl.language.vocabulary import DIR_DELTAS, DIRS

__all__ = ["MOVES", "View", "bfs", "cell", "goto", "moved", "on"]

Cell = tuple[int, int]
MOVES = ("UP", "DOWN", "LEFT", "RIGHT")


class View(SimpleNamespace):
    """Fields of one copy by name, members of enums as glyphs; ``t``, ``turn`` and parameters."""


def cell(pos: Any) -> Cell:
    return int(pos[0]), int(pos[1])


def moved(at: Any, move: str) -> Cell:
    row, col = DIR_DELTAS[DIRS.index(move)]
    return int(at[0]) + row, int(at[1]) + col


def on(mask: np.ndarray, at: Cell) -> bool:
    """True at that cell of a mask; False off the board."""
    return 0 <= at[0] < mask.shape[0] and 0 <= at[1] < mask.shape[1] and bool(mask[at])


def bfs(
    start: Any,
    follow: Callable[[Any, str], Any],
    goal: Callable[[Any], bool],
    actions: tuple[str, ...] = MOVES,
    key: Callable[[Any], Hashable] = lambda state: state,
    limit: int = 200_000,
) -> list[str]:
    """Actions of a shortest way to a goal; empty if there is none. ``follow`` gives None for no."""
    queue, seen = deque([(start, ())]), {key(start)}
    while queue and len(seen) < limit:
        here, path = queue.popleft()
        for action in actions:
            there = follow(here, action)
            if there is None or key(there) in seen:
                continue
            if goal(there):
                return unwind((path, action))
            seen.add(key(there))
            queue.append((there, (path, action)))
    return []


def unwind(path: tuple[Any, ...]) -> list[str]:
    """A linked path ((…, "UP"), "LEFT") as a list."""
    found: list[str] = []
    while path:
        path, action = path
        found.append(action)
    return found[::-1]


def goto(at: Any, free: np.ndarray, goal: np.ndarray, otherwise: str = "STAY") -> str:
    """First move of a shortest way over ``free`` cells to a cell of ``goal``."""
    start = cell(at)
    if on(goal, start):
        return otherwise

    def follow(here: Cell, move: str) -> Cell | None:
        there = moved(here, move)
        return there if on(free | goal, there) else None

    return (bfs(start, follow, lambda here: bool(goal[here])) or [otherwise])[0]
