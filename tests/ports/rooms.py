"""What the two packages of MiniGrid's rules have in common: levels as arrays, and starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from envs_dsl.language.vocabulary import ACTIONS, DIR_DELTAS

from .trace import Original

__all__ = [
    "CLOSED",
    "FLOOR",
    "GOAL",
    "KEY",
    "LAVA",
    "LOCKED",
    "OPEN",
    "WALL",
    "Level",
    "Rooms",
    "actions",
    "turned",
]

FLOOR, WALL, GOAL, KEY, LOCKED, CLOSED, OPEN, LAVA = range(8)


class Level(NamedTuple):
    """States of a batch: tiles int32[B, H, W] by the codes above, (row, col) int32[B, 2], our code
    of the direction faced int32[B], bool[B], completed steps int32[B]."""

    board: np.ndarray
    agent: np.ndarray
    facing: np.ndarray
    has_key: np.ndarray
    time: np.ndarray


class Rooms(Original):
    """MiniGrid's rules, whoever implements them.

    Attributes:
      limit: steps after which an episode is truncated. keys: whether there are keys and doors.
      tiles: the tiles of the port's enum, in its order.
    """

    limit: int
    keys = False
    tiles: tuple[int, ...] = (FLOOR, WALL, GOAL, KEY, LOCKED, CLOSED, OPEN)

    def take(self, states: Any, rows: np.ndarray) -> Any:
        return Level(*(np.asarray(leaf)[rows] for leaf in states))

    def starts(self, rng: np.random.Generator, count: int) -> Level:
        """Its own levels with the agent anywhere, often near the goal, and some doors used."""
        level = self.own_levels(1, count)
        board, has_key = np.array(level.board), np.array(level.has_key)
        agent = np.array(level.agent)
        for i in range(count):
            if self.keys and rng.random() < 0.7:
                board[i][board[i] == LOCKED] = rng.choice([LOCKED, CLOSED, OPEN])
            if self.keys and rng.random() < 0.5:
                has_key[i] = True
                if rng.random() < 0.7:  # else there are two
                    board[i][board[i] == KEY] = FLOOR
            places = np.argwhere((board[i] == FLOOR) | (board[i] == OPEN))
            goal = np.argwhere(board[i] == GOAL)[0]
            # A third beside the goal, a third beside whatever else can be met.
            met = np.argwhere(np.isin(board[i], [KEY, LOCKED, CLOSED, OPEN, LAVA]))
            share = rng.random()
            if share < 0.3:
                near = np.abs(places - goal).sum(1) <= 2
            elif share < 0.6 and len(met):
                near = np.abs(places - met[rng.integers(len(met))]).sum(1) == 1
            else:
                near = np.ones(len(places), bool)
            places = places[near] if near.any() else places
            agent[i] = places[rng.integers(len(places))]
        late = self.limit - 1 - rng.integers(0, 30, count)
        time = np.where(rng.random(count) < 0.5, late, rng.integers(0, self.limit, count))
        return Level(
            board, agent, rng.integers(1, 5, count).astype(np.int32), has_key, time.astype(np.int32)
        )

    def fields(self, states: Level, returned: np.ndarray) -> dict[str, Any]:
        board = np.argmax(states.board[..., None] == np.asarray(self.tiles), axis=-1)
        fields = {"agent": states.agent, "facing": states.facing, "board": board}
        return fields | ({"has_key": states.has_key} if self.keys else {})

    def draws_of(self, fields: dict[str, Any]) -> dict[str, np.ndarray]:
        """What a level generator drew, read off the levels that it made: each int32[B, ...]."""
        board = np.asarray(self.tiles)[fields["board"]]
        count, height, width = board.shape
        middle = height // 2

        def where(code: int) -> np.ndarray:
            return np.argmax((board == code).reshape(count, -1), axis=1).astype(np.int32)

        def gap(line: np.ndarray, start: int, stop: int) -> np.ndarray:
            return (np.argmax(line[:, start:stop] != WALL, axis=1) + start).astype(np.int32)

        row, col = board[:, middle], board[:, :, middle]
        return {
            "agent": (fields["agent"][:, 0] * width + fields["agent"][:, 1]).astype(np.int32),
            "goal": where(GOAL),
            "key": where(KEY),
            "door": where(LOCKED),
            "gaps": np.stack(
                [
                    gap(line, *part)
                    for line in (row, col)
                    for part in ((1, middle), (middle + 1, -1))
                ],
                axis=1,
            ),
            "facing": np.asarray(fields["facing"]),
        }


def actions(order: tuple[str, ...], keys: bool) -> tuple[int, ...]:
    """Our actions for "left", "right", "forward", "pickup", "drop", "toggle" and "done"."""
    ours = {"left": "LEFT", "right": "RIGHT", "forward": "UP"}
    if keys:
        ours |= {"pickup": "take", "drop": "drop", "toggle": "open"}
    return tuple(ACTIONS.index(ours.get(name, "STAY")) for name in order)


def turned(codes: list[str]) -> np.ndarray:
    """Our direction codes for a package's own 0, 1, 2, 3, given in words."""
    deltas = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    return np.asarray([DIR_DELTAS.index(deltas[word]) for word in codes], np.int32)
