"""MiniGrid's rules as xminigrid implements them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xminigrid
from xminigrid.core.constants import Colors, Tiles
from xminigrid.types import AgentState, StepType, TimeStep

from . import rooms
from .injection import injected
from .rooms import Level, Rooms
from .trace import Transition

__all__ = ["XMINIGRID"]

# (tile, colour) of each of our codes but lava, which this package does not have.
TILES = np.asarray(
    [
        (Tiles.FLOOR, Colors.BLACK),
        (Tiles.WALL, Colors.GREY),
        (Tiles.GOAL, Colors.GREEN),
        (Tiles.KEY, Colors.YELLOW),
        (Tiles.DOOR_LOCKED, Colors.YELLOW),
        (Tiles.DOOR_CLOSED, Colors.YELLOW),
        (Tiles.DOOR_OPEN, Colors.YELLOW),
    ],
    np.uint8,
)
CODES = np.zeros(256, np.int32)
CODES[TILES[:, 0]] = np.arange(len(TILES))
EMPTY = np.asarray([Tiles.EMPTY, Colors.EMPTY], np.uint8)
DIRECTIONS = rooms.turned(["up", "right", "down", "left"])
ORDER = ("forward", "right", "left", "pickup", "drop", "toggle")


class XMiniGrid(Rooms):
    id: str

    def __init__(self) -> None:
        self.name = f"xminigrid {self.id}"
        self.actions = rooms.actions(ORDER, self.keys)
        self.env, self.params = xminigrid.make(self.id)
        self.limit = self.params.max_steps
        # Goal and rules are the same in all states.
        self.like = self.env.reset(self.params, jax.random.PRNGKey(0)).state
        self._step = jax.jit(jax.vmap(self._one_step))
        self._reset = jax.jit(jax.vmap(self._one_reset))
        self._own = jax.jit(jax.vmap(lambda key: _level(self.env.reset(self.params, key).state)))

    def given_at_reset(self, draws: dict[str, Any]) -> dict[str, list[Any]]:
        """What ``jax.random`` shall answer in a reset that is to make the level of ``draws``."""
        return {}

    def _one_step(self, level: Level, action: Any) -> Transition:
        state = self.like.replace(
            grid=jnp.asarray(TILES)[level.board],
            agent=AgentState(
                position=level.agent,
                direction=jnp.argmax(jnp.asarray(DIRECTIONS) == level.facing),
                pocket=jnp.where(level.has_key, TILES[rooms.KEY], EMPTY),
            ),
            step_num=level.time,
        )
        before = TimeStep(state, StepType.MID, jnp.float32(0), jnp.float32(1), None)
        after = self.env.step(self.params, before, action)
        terminated = after.discount == 0
        truncated = (after.step_type == StepType.LAST) & ~terminated
        return Transition(_level(after.state), after.reward, terminated, truncated)

    def _one_reset(self, draws: dict[str, Any]) -> Level:
        with injected(**self.given_at_reset(draws)):
            return _level(self.env.reset(self.params, jax.random.PRNGKey(0)).state)

    def step(self, states: Level, actions: np.ndarray, draws: Any) -> Transition:
        return jax.tree.map(np.asarray, self._step(states, jnp.asarray(actions, jnp.int32)))

    def levels(self, fields: dict[str, Any]) -> Level:
        draws = self.draws_of(fields)
        draws["facing"] = np.argmax(draws["facing"][:, None] == DIRECTIONS, axis=1).astype(np.int32)
        return jax.tree.map(np.asarray, self._reset(draws))

    def own_levels(self, seed: int, count: int) -> Level:
        keys = jax.random.split(jax.random.PRNGKey(seed), count)
        return jax.tree.map(np.asarray, self._own(keys))


class Empty(XMiniGrid):
    id, port = "MiniGrid-Empty-8x8", "minigrid_empty"


class Empty16(XMiniGrid):
    id, port = "MiniGrid-Empty-16x16", "minigrid_empty_16"


class DoorKey(XMiniGrid):
    id, port, keys = "MiniGrid-DoorKey-8x8", "minigrid_door_key", True

    def given_at_reset(self, draws: dict[str, Any]) -> dict[str, list[Any]]:
        width = self.params.width
        return {
            "randint": [draws["door"] % width, draws["door"] // width, draws["facing"]],
            "choice": [jnp.stack([draws["key"], draws["agent"]])],
        }


class FourRooms(XMiniGrid):
    id, port = "MiniGrid-FourRooms", "minigrid_four_rooms"

    def given_at_reset(self, draws: dict[str, Any]) -> dict[str, list[Any]]:
        middle = self.params.height // 2
        offsets = draws["gaps"] - jnp.asarray([0, middle, 0, middle])
        return {
            "randint": [offsets, draws["facing"]],
            "choice": [jnp.stack([draws["goal"], draws["agent"]])],
        }


def _level(state: Any) -> Level:
    return Level(
        board=jnp.asarray(CODES)[state.grid[..., 0]],
        agent=state.agent.position.astype(jnp.int32),
        facing=jnp.asarray(DIRECTIONS)[state.agent.direction],
        has_key=state.agent.pocket[0] == Tiles.KEY,
        time=jnp.asarray(state.step_num, jnp.int32),
    )


XMINIGRID: tuple[type[XMiniGrid], ...] = (Empty, Empty16, DoorKey, FourRooms)
