"""An environment of your own, written by hand: `--residents examples.my_environment:Catch`."""

import jax
import jax.numpy as jnp
from flax import struct
from gymnax.environments import environment, spaces

ROWS, COLUMNS = 10, 5


@struct.dataclass
class State(environment.EnvState):  # `time`, the steps so far, comes with it
    ball: jax.Array  # its column; it falls one row a step
    paddle: jax.Array


@struct.dataclass
class Params(environment.EnvParams):
    max_steps_in_episode: int = 20


class Catch(environment.Environment[State, Params]):
    """A ball falls, and wind moves it in the upper half; the paddle below is to catch it."""

    @property
    def default_params(self):
        return Params()

    def reset_env(self, key, params):
        ball, paddle = jax.random.randint(key, (2,), 0, COLUMNS)  # no other randomness than `key`
        state = State(time=0, ball=ball, paddle=paddle)
        return self.observe(key, state, None, params), state

    def step_env(self, key, state, action, params):
        wind = jnp.where(state.time < ROWS // 2, jax.random.randint(key, (), -1, 2), 0)
        ball = jnp.clip(state.ball + wind, 0, COLUMNS - 1)
        paddle = jnp.clip(state.paddle + action - 1, 0, COLUMNS - 1)  # 0 left, 1 stay, 2 right
        state = State(time=state.time + 1, ball=ball, paddle=paddle)
        landed = state.time == ROWS - 1
        caught = landed & (ball == paddle)
        reward = jnp.where(landed, jnp.where(caught, 1.0, -1.0), 0.0)
        seen = self.observe(key, state, action, params)
        return seen, state, reward, landed, {"success": caught}

    def observe(self, key, state, action, params):
        places = jnp.arange(COLUMNS)
        clock = jnp.full(1, state.time / ROWS)
        return jnp.concatenate([places == state.ball, places == state.paddle, clock])

    def action_space(self, params=None):
        return spaces.Discrete(3)

    def observation_space(self, params=None):
        return spaces.Box(0.0, 1.0, (2 * COLUMNS + 1,), jnp.float32)
