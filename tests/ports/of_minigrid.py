"""MiniGrid's rules as their source, the package minigrid, has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import gymnasium
import minigrid  # noqa: F401  (registers its environments)
import numpy as np
from minigrid.core.grid import Grid
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall

from . import rooms
from .rooms import CLOSED, FLOOR, GOAL, KEY, LAVA, LOCKED, OPEN, WALL, Level, Rooms
from .trace import Transition

__all__ = ["MINIGRID"]

DIRECTIONS = rooms.turned(["right", "down", "left", "up"])
ORDER = ("left", "right", "forward", "pickup", "drop", "toggle", "done")


class MiniGrid(Rooms):
    id: str

    def __init__(self) -> None:
        self.name = f"minigrid {self.id}"
        self.actions = rooms.actions(ORDER, self.keys)
        self.env: Any = gymnasium.make(self.id).unwrapped
        self.env.gen_obs = dict  # what it observes is not compared, and takes most of its time
        self.env.reset(seed=0)
        self.limit = self.env.max_steps

    def given_at_reset(self, draws: dict[str, Any]) -> list[int]:
        """What its generator of whole numbers shall answer, to make the level of ``draws``."""
        return []

    def step(self, states: Level, actions: np.ndarray, draws: Any) -> Transition:
        after, found = [], []
        for i, action in enumerate(actions):
            self._load(*(leaf[i] for leaf in states))
            _, reward, terminated, truncated, _ = self.env.step(int(action))
            after.append(self._read())
            found.append((reward, terminated, truncated))
        reward, terminated, truncated = (np.asarray(column) for column in zip(*found))
        return Transition(_stack(after), np.float32(reward), terminated, truncated)

    def levels(self, fields: dict[str, Any]) -> Level:
        draws, found = self.draws_of(fields), []
        for i in range(len(fields["agent"])):
            answers: Iterator[int] = iter(
                self.given_at_reset({name: value[i] for name, value in draws.items()})
            )
            with mock.patch.object(self.env, "_rand_int", lambda low, high, a=answers: next(a)):
                self.env.reset()
            assert next(answers, None) is None, "not all draws were used"
            found.append(self._read())
        return _stack(found)

    def own_levels(self, seed: int, count: int) -> Level:
        found = []
        for i in range(count):
            self.env.reset(seed=None if i else seed)
            found.append(self._read())
        return _stack(found)

    def _load(self, board: Any, agent: Any, facing: Any, has_key: Any, time: Any) -> None:
        """Put the environment into one state."""
        env = self.env
        env.grid = Grid(env.width, env.height)
        for row, col in np.argwhere(board != FLOOR):
            env.grid.set(int(col), int(row), _thing(int(board[row, col])))
        env.agent_pos = (int(agent[1]), int(agent[0]))
        env.agent_dir = int(np.argmax(facing == DIRECTIONS))
        env.carrying = Key("yellow") if has_key else None
        env.step_count = int(time)

    def _read(self) -> tuple[Any, ...]:
        env = self.env
        cells = [_code(thing) for thing in env.grid.grid]
        col, row = env.agent_pos
        return (
            np.asarray(cells, np.int32).reshape(env.height, env.width),
            np.asarray([row, col], np.int32),
            DIRECTIONS[env.agent_dir],
            env.carrying is not None,
            np.int32(env.step_count),
        )

    def _cell(self, number: int) -> list[int]:
        """The column and the row of a cell."""
        return [int(number) % self.env.width, int(number) // self.env.width]

    def _facing(self, code: int) -> int:
        return int(np.argmax(code == DIRECTIONS))


class Empty(MiniGrid):
    id, port = "MiniGrid-Empty-8x8-v0", "minigrid_empty"


class Empty16(MiniGrid):
    id, port = "MiniGrid-Empty-16x16-v0", "minigrid_empty_16"


class DoorKey(MiniGrid):
    id, port, keys = "MiniGrid-DoorKey-8x8-v0", "minigrid_door_key", True

    def given_at_reset(self, draws: dict[str, Any]) -> list[int]:
        wall, door = self._cell(draws["door"])
        agent = [*self._cell(draws["agent"]), self._facing(draws["facing"])]
        return [wall, *agent, door, *self._cell(draws["key"])]


class FourRooms(MiniGrid):
    id, port = "MiniGrid-FourRooms-v0", "minigrid_four_rooms"

    def given_at_reset(self, draws: dict[str, Any]) -> list[int]:
        west, east, north, south = (int(gap) for gap in draws["gaps"])
        agent = [*self._cell(draws["agent"]), self._facing(draws["facing"])]
        return [north, west, east, south, *agent, *self._cell(draws["goal"])]


class LavaGap(MiniGrid):
    id, port = "MiniGrid-LavaGapS7-v0", "minigrid_lava_gap"
    tiles = (FLOOR, WALL, LAVA, GOAL)

    def given_at_reset(self, draws: dict[str, Any]) -> list[int]:
        return [int(draws["lava"]), int(draws["hole"])]

    def draws_of(self, fields: dict[str, Any]) -> dict[str, np.ndarray]:
        lava = np.asarray(self.tiles)[fields["board"]] == LAVA
        column = np.argmax(lava.any(axis=1), axis=1)
        inside = lava[np.arange(len(lava)), 1:-1, column]
        return {"lava": column, "hole": np.argmin(inside, axis=1) + 1}


def _thing(code: int) -> Any:
    match code:
        case rooms.WALL:
            return Wall()
        case rooms.GOAL:
            return Goal()
        case rooms.KEY:
            return Key("yellow")
        case rooms.LAVA:
            return Lava()
    return Door("yellow", is_open=code == OPEN, is_locked=code == LOCKED)


def _code(thing: Any) -> int:
    match thing:
        case None:
            return FLOOR
        case Wall():
            return WALL
        case Goal():
            return GOAL
        case Key():
            return KEY
        case Lava():
            return LAVA
        case Door():
            return OPEN if thing.is_open else LOCKED if thing.is_locked else CLOSED
    raise ValueError(f"no tile for {thing}")


def _stack(states: list[tuple[Any, ...]]) -> Level:
    return Level(*(np.stack(leaves) for leaves in zip(*states)))


MINIGRID: tuple[type[MiniGrid], ...] = (Empty, Empty16, DoorKey, FourRooms, LavaGap)
