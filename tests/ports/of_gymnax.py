"""The five ports of gymnax environments."""

from __future__ import annotations

import functools
from typing import Any

import gymnax
import jax
import jax.numpy as jnp
import numpy as np
from gymnax.environments.bsuite import catch
from gymnax.environments.classic_control import cartpole
from gymnax.environments.minatar import breakout, freeway
from gymnax.environments.misc import rooms

from .injection import injected
from .trace import Original, Port, Transition

__all__ = ["GYMNAX", "Breakout", "CartPole", "Catch", "FourRooms", "Freeway"]

STAY, UP, DOWN, LEFT, RIGHT = range(5)


class Gymnax(Original):
    """An environment of gymnax, without its reset inside the step."""

    id: str

    def __init__(self) -> None:
        self.env, self.params = gymnax.make(self.id)
        self.name = f"gymnax {self.id}"
        self.key = jax.random.key(0)
        self._step = jax.jit(jax.vmap(self._one_step))
        self._reset = jax.jit(jax.vmap(self._one_reset))
        self._own = jax.jit(jax.vmap(lambda key: self.env.reset_env(key, self.params)[1]))

    def given(self, draws: Any) -> dict[str, list[Any]]:
        """What ``jax.random`` shall answer in a step."""
        return {}

    def given_at_reset(self, fields: dict[str, Any]) -> dict[str, list[Any]]:
        """What ``jax.random`` shall answer in a reset that is to make one copy of ``fields``."""
        return {}

    def _one_step(self, state: Any, action: Any, draws: Any) -> Transition:
        with injected(**self.given(draws)):
            _, after, reward, terminated, _ = self.env.step_env(
                self.key, state, action, self.params
            )
        return Transition(after, reward, terminated, self.env.is_truncated(after, self.params))

    def _one_reset(self, fields: dict[str, Any]) -> Any:
        with injected(**self.given_at_reset(fields)):
            return self.env.reset_env(self.key, self.params)[1]

    def step(self, states: Any, actions: np.ndarray, draws: Any) -> Transition:
        found = self._step(states, jnp.asarray(actions, jnp.int32), draws)
        return jax.tree.map(np.asarray, found)

    def levels(self, fields: dict[str, Any]) -> Any:
        return self._reset(fields)

    def own_levels(self, seed: int, count: int) -> Any:
        return self._own(jax.random.split(jax.random.key(seed), count))

    def clock(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Start times: half of them shortly before the limit."""
        limit = self.params.max_steps_in_episode
        late = limit - 1 - rng.integers(0, 30, count)
        time = np.where(rng.random(count) < 0.5, late, rng.integers(0, limit, count))
        return time.astype(np.int32)


class CartPole(Gymnax):
    id, port = "CartPole-v1", "cartpole_v1"
    actions = (LEFT, RIGHT)
    unit, exact = 1 / 512, False

    def starts(self, rng: np.random.Generator, count: int) -> Any:
        def between(bound: float) -> np.ndarray:
            return rng.uniform(-bound, bound, count).astype(np.float32)

        return cartpole.EnvState(
            self.clock(rng, count), between(2.4), between(3.0), between(0.209), between(3.0)
        )

    def given_at_reset(self, fields: dict[str, Any]) -> dict[str, list[Any]]:
        names = ("x", "x_speed", "angle", "spin")
        return {"uniform": [jnp.stack([fields[name] for name in names])]}

    def fields(self, states: Any, returned: np.ndarray) -> dict[str, Any]:
        return {
            "x": states.x,
            "x_speed": states.x_dot,
            "angle": states.theta,
            "spin": states.theta_dot,
        }


class Catch(Gymnax):
    id, port = "Catch-bsuite", "catch_bsuite"
    actions = (LEFT, STAY, RIGHT)

    def starts(self, rng: np.random.Generator, count: int) -> Any:
        def below(top: int) -> np.ndarray:
            return rng.integers(0, top, count).astype(np.int32)

        nine, never = np.full(count, 9, np.int32), np.zeros(count, bool)
        return catch.EnvState(self.clock(rng, count), below(5), below(9), below(5), nine, never)

    # A step draws too, for a reset of its own that never comes into play: the episode ends first.
    def given(self, draws: Any) -> dict[str, list[Any]]:
        return {"randint": [jnp.int32(0)]}

    def given_at_reset(self, fields: dict[str, Any]) -> dict[str, list[Any]]:
        return {"randint": [fields["ball"][1]]}

    def fields(self, states: Any, returned: np.ndarray) -> dict[str, Any]:
        return {
            "paddle": _pos(states.paddle_y, states.paddle_x),
            "ball": _pos(states.ball_y, states.ball_x),
        }


class Breakout(Gymnax):
    id, port = "Breakout-MinAtar", "breakout_minatar"
    actions = (STAY, LEFT, RIGHT)
    unit = 1 / 128

    def starts(self, rng: np.random.Generator, count: int) -> Any:
        def below(top: int) -> np.ndarray:
            return rng.integers(0, top, count).astype(np.int32)

        # A full wall, a broken one, or none; row 9 is where a ball ends an episode.
        left = rng.choice([0.0, 0.1, 0.6, 1.0], count)[:, None, None]
        bricks = np.zeros((count, 10, 10), np.float32)
        bricks[:, 1:4] = rng.random((count, 3, 10)) < left
        low = rng.random(count) < 0.3
        return breakout.EnvState(
            time=self.clock(rng, count),
            ball_y=np.where(low, 8, below(9)).astype(np.int32),
            ball_x=below(10),
            ball_dir=below(4),
            pos=below(10),
            brick_map=bricks,
            strike=rng.random(count) < 0.3,
            last_y=below(10),
            last_x=below(10),
            terminal=np.zeros(count, bool),
        )

    def given_at_reset(self, fields: dict[str, Any]) -> dict[str, list[Any]]:
        return {"choice": [(fields["ball"][1] > 0).astype(jnp.int32)]}

    def fields(self, states: Any, returned: np.ndarray) -> dict[str, Any]:
        direction = np.asarray(states.ball_dir)
        return {
            "paddle": _pos(np.full_like(direction, 9), states.pos),
            "ball": _pos(states.ball_y, states.ball_x),
            "trail": _pos(states.last_y, states.last_x),
            "dx": np.asarray([-1, 1, 1, -1])[direction],
            "dy": np.asarray([-1, -1, 1, 1])[direction],
            "struck": states.strike,
            "broken": returned.astype(np.int32),
            "left": np.count_nonzero(states.brick_map, axis=(1, 2)),
            "bricks": np.asarray(states.brick_map) == 1,
        }


class Freeway(Gymnax):
    id, port = "Freeway-MinAtar", "freeway_minatar"
    actions = (STAY, UP, DOWN)
    unit = 1 / 128

    def starts(self, rng: np.random.Generator, count: int) -> Any:
        lanes = np.tile(np.arange(1, 9), (count, 1))
        speed = rng.integers(1, 6, (count, 8))
        timer = rng.integers(0, speed + 1)
        columns = (
            rng.integers(0, 10, (count, 8)), lanes, timer, speed * rng.choice([-1, 1], (count, 8)),
        )  # fmt: skip
        return freeway.EnvState(
            time=self.clock(rng, count),
            pos=rng.choice([1, 1, *range(1, 10)], count).astype(np.int32),
            cars=np.stack(columns, axis=2).astype(np.int32),
            move_timer=rng.integers(0, 4, count).astype(np.int32),
            terminal=np.zeros(count, bool),
        )

    def draws(self, ours: Port, block: np.ndarray) -> Any:
        """The new speeds, had the walker just crossed: seen in a state in which it does."""
        count = len(block)
        pos = np.zeros((count, 8, 2), np.int32)
        pos[:, :, 0] = np.arange(1, 9)
        nothing = np.zeros((count, 8), np.int32)
        probe = _probe(ours, count, {
            "walker": np.tile([1, 4], (count, 1)),
            "rest": np.zeros(count),
            "crossed": np.zeros(count),
            "cars": {"pos": pos, "speed": nothing, "timer": nothing, "alive": nothing == 0},
        })  # fmt: skip
        after, _ = ours.step(probe, np.full(count, UP, np.int32), block)
        return after.fields["cars"]["speed"]

    def given(self, draws: Any) -> dict[str, list[Any]]:
        return {"randint": [jnp.abs(draws)], "choice": [jnp.sign(draws)]}

    def given_at_reset(self, fields: dict[str, Any]) -> dict[str, list[Any]]:
        return self.given(fields["cars"]["speed"])

    def fields(self, states: Any, returned: np.ndarray) -> dict[str, Any]:
        cars, row = np.asarray(states.cars), np.asarray(states.pos)
        return {
            "walker": _pos(row, np.full_like(row, 4)),
            "rest": states.move_timer,
            "crossed": returned.astype(np.int32),
            "cars": {
                "pos": cars[:, :, [1, 0]],
                "speed": cars[:, :, 3],
                "timer": cars[:, :, 2],
                "alive": np.ones(cars.shape[:2], bool),
            },
        }


class FourRooms(Gymnax):
    id, port = "FourRooms-misc", "four_rooms_misc"
    actions = (UP, RIGHT, DOWN, LEFT)

    def starts(self, rng: np.random.Generator, count: int) -> Any:
        cells = np.asarray(self.env.coords)
        pair = np.stack([rng.choice(len(cells), 2, replace=False) for _ in range(count)])
        # A third of the goals are a move away: few random walks meet one.
        near = np.asarray(self.env.directions)[rng.integers(0, 4, count)] + cells[pair[:, 0]]
        near = np.where(np.asarray(self.env.env_map)[near[:, 0], near[:, 1], None], near, -1)
        goal = np.where((rng.random((count, 1)) < 0.3) & (near >= 0), near, cells[pair[:, 1]])
        return rooms.EnvState(
            self.clock(rng, count), cells[pair[:, 0]].astype(np.int32), goal.astype(np.int32)
        )

    def draws(self, ours: Port, block: np.ndarray) -> Any:
        """Slip and its direction: seen in an open place, where two moves part unless it slips."""
        count = len(block)
        fields = self.fields(self.starts(np.random.default_rng(0), count), np.zeros(count))
        # Row 2, column 2 lies amid the first room; what the goal is there does not matter.
        probe = _probe(ours, count, {**fields, "agent": np.tile([2, 2], (count, 1))})
        ends = [
            ours.step(probe, np.full(count, move, np.int32), block)[0].fields["agent"]
            for move in (UP, DOWN)
        ]
        slips = np.all(ends[0] == ends[1], axis=1)
        moved = ends[0] - [2, 2]
        directions = np.asarray(self.env.directions)
        index = np.argmax(np.all(moved[:, None] == directions, axis=2), axis=1)
        return slips, index.astype(np.int32)

    def given(self, draws: Any) -> dict[str, list[Any]]:
        slips, index = draws
        return {"uniform": [jnp.where(slips, 0.0, 1.0)], "randint": [index]}

    # It draws a goal and a place even when, as by default, both are fixed.
    def given_at_reset(self, fields: dict[str, Any]) -> dict[str, list[Any]]:
        return {"randint": [jnp.int32(0), jnp.int32(0)]}

    def fields(self, states: Any, returned: np.ndarray) -> dict[str, Any]:
        pos, goal = np.asarray(states.pos), np.asarray(states.goal)
        board = np.tile(np.where(np.asarray(self.env.env_map), 0, 1), (len(pos), 1, 1))
        board[np.arange(len(pos)), goal[:, 0], goal[:, 1]] = 2
        return {"agent": pos, "board": board}


def _pos(row: Any, col: Any) -> np.ndarray:
    return np.stack([np.asarray(row), np.asarray(col)], axis=1)


def _probe(ours: Port, count: int, fields: dict[str, Any]) -> Any:
    return ours.forced(_blank(ours, count), fields, np.zeros(count))


@functools.lru_cache(maxsize=8)
def _blank(ours: Port, count: int) -> Any:
    return ours.reset(np.random.default_rng(0), count)


GYMNAX: tuple[type[Gymnax], ...] = (CartPole, Catch, Breakout, Freeway, FourRooms)
