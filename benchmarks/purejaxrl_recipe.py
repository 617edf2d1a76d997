"""PPO by the recipe of PureJaxRL (github.com/luchris429/purejaxrl), as small as it goes.

The peer of ``benchmarks.ppo``; written anew from what the published script does, none of it copied:
one jitted scan over updates; in each a scan over steps of vmapped environments with the gymnax API
(which start over inside the step), advantages by a reversed scan, and a scan over epochs, each of
which writes a shuffled copy of all transitions and scans over its minibatches. Advantages are
normalised by minibatch, values are clipped like the ratio, an episode cut off by time counts as
ended, and the learning rate falls linearly where that is asked for.

Shapes: T steps of a roll-out, N environments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from envs_dsl.interface import ACTIONS, CELL_FEATURES, HUD, VIEW, Observation, unpack_cells

__all__ = ["PlainPolicyValue", "Recipe", "TwoTowers", "Watched", "make_train"]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Settings, named as in ``LearnerConfig``; the published script's values by default.

    Attributes:
      anneal_updates: updates over which the learning rate falls to 0; None keeps it.
    """

    copies: int = 4
    rollout_length: int = 128
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 2.5e-4
    anneal_updates: int | None = None
    max_grad_norm: float = 0.5
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_coef: float = 0.5

    @property
    def rows(self) -> int:
        """Transitions of one roll-out."""
        return self.copies * self.rollout_length


class TwoTowers(nn.Module):
    """The published network: float32[..., D] -> (logits [..., A], value [...])."""

    actions: int
    width: int = 64

    @nn.compact
    def __call__(self, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        def tower(out: int, scale: float) -> jax.Array:
            hidden = x
            for _ in range(2):
                dense = nn.Dense(self.width, kernel_init=nn.initializers.orthogonal(2**0.5))
                hidden = nn.tanh(dense(hidden))
            return nn.Dense(out, kernel_init=nn.initializers.orthogonal(scale))(hidden)

        return tower(self.actions, 0.01), tower(1, 1.0)[..., 0]


class PlainPolicyValue(nn.Module):
    """The learner's network as one writes it down: same function, same parameters, rows first."""

    hidden: int = 128
    cell_embedding: int = 8

    @nn.compact
    def __call__(self, observation: Observation) -> tuple[jax.Array, jax.Array]:
        def dense(name: str, width: int, scale: float, bias: bool = True) -> nn.Dense:
            start = nn.initializers.orthogonal(scale)
            return nn.Dense(width, use_bias=bias, kernel_init=start, name=name)

        lead = observation.legal.shape[:-1]
        cells = unpack_cells(jnp, observation.cells).reshape(-1, CELL_FEATURES)
        look = nn.relu(dense("cell", self.cell_embedding, 2**0.5)(cells))
        look = look.reshape(-1, VIEW * VIEW * self.cell_embedding)
        hidden = dense("view", self.hidden, 1.0, bias=False)(look)
        hidden = hidden + dense("hud", self.hidden, 1.0)(observation.hud.reshape(-1, HUD))
        hidden = nn.relu(dense("core", self.hidden, 2**0.5)(nn.relu(hidden)))
        logits = dense("policy", ACTIONS, 0.01)(hidden).reshape(*lead, ACTIONS)
        value = dense("value", 1, 1.0)(hidden).reshape(lead)
        return jnp.where(observation.legal, logits, -1e9), value


class Watched(NamedTuple):
    """Episodes of an iteration, [T, N]: ``returns`` counts where ``ended``."""

    ended: Any
    returns: Any


class _Rows(NamedTuple):
    """Transitions."""

    observation: Any
    action: Any
    log_prob: Any
    value: Any
    reward: Any
    done: Any


class _Runner(NamedTuple):
    params: Any
    opt_state: Any
    env_state: Any
    observation: Any
    returns: Any
    key: Any


def make_train(
    env: Any, env_params: Any, network: nn.Module, recipe: Recipe, updates: int
) -> tuple[Callable[[jax.Array], Any], Callable[[Any], tuple[Any, Watched]]]:
    """(start: key -> runner, train: runner -> (runner, Watched [updates, T, N])), to be jitted.

    Args:
      env: with gymnax's ``reset`` and ``step`` of one copy. network: observation -> (logits,
        value). updates: of one call of ``train``.
    """
    count = recipe.copies
    per_update = recipe.epochs * recipe.minibatches

    def rate(step: Any) -> Any:
        done = (step // per_update) / (recipe.anneal_updates or 1)
        return recipe.learning_rate * (1.0 - done)

    optimizer = optax.chain(
        optax.clip_by_global_norm(recipe.max_grad_norm),
        optax.adam(rate if recipe.anneal_updates else recipe.learning_rate, eps=1e-5),
    )
    reset = jax.vmap(env.reset, in_axes=(0, None))
    step = jax.vmap(env.step, in_axes=(0, 0, 0, None))

    def forward(params: Any, observation: Any) -> tuple[jax.Array, jax.Array]:
        found: Any = network.apply(params, observation)
        return found

    def start(key: jax.Array) -> _Runner:
        key, first, levels = jax.random.split(key, 3)
        observation, state = reset(jax.random.split(levels, count), env_params)
        params = network.init(first, jax.tree.map(lambda leaf: leaf[:1], observation))
        opt_state = optimizer.init(params)
        return _Runner(params, opt_state, state, observation, jnp.zeros(count), key)

    def act(runner: _Runner, _: None) -> tuple[_Runner, tuple[_Rows, Watched]]:
        key, noise, dice = jax.random.split(runner.key, 3)
        logits, value = forward(runner.params, runner.observation)
        action = jax.random.categorical(noise, logits)
        chosen = _log_prob(logits, action)
        keys = jax.random.split(dice, count)
        following, state, reward, terminated, truncated, _info = step(
            keys, runner.env_state, action, env_params
        )
        done = terminated | truncated
        returns = runner.returns + reward
        rows = _Rows(runner.observation, action, chosen, value, reward, done)
        kept = jnp.where(done, 0.0, returns)
        runner = runner._replace(env_state=state, observation=following, returns=kept, key=key)
        return runner, (rows, Watched(done, returns))

    def loss(params: Any, rows: _Rows, advantage: jax.Array, target: jax.Array) -> jax.Array:
        logits, value = forward(params, rows.observation)
        near = rows.value + jnp.clip(value - rows.value, -recipe.clip, recipe.clip)
        error = jnp.maximum((value - target) ** 2, (near - target) ** 2)
        ratio = jnp.exp(_log_prob(logits, rows.action) - rows.log_prob)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        limited = jnp.clip(ratio, 1.0 - recipe.clip, 1.0 + recipe.clip)
        gain = jnp.minimum(ratio * advantage, limited * advantage).mean()
        log_p = jax.nn.log_softmax(logits)
        bonus = -(jnp.exp(log_p) * log_p).sum(-1).mean()
        return recipe.value_coef * 0.5 * error.mean() - gain - recipe.entropy * bonus

    def learn(carry: tuple[Any, Any], part: Any) -> tuple[tuple[Any, Any], None]:
        params, opt_state = carry
        grads = jax.grad(loss)(params, *part)
        changes, opt_state = optimizer.update(grads, opt_state, params)
        return (optax.apply_updates(params, changes), opt_state), None

    def update(runner: _Runner, _: None) -> tuple[_Runner, Watched]:
        runner, (rows, watched) = jax.lax.scan(act, runner, None, recipe.rollout_length)
        last = forward(runner.params, runner.observation)[1]
        advantage = _advantages(recipe, rows, last)
        batch = jax.tree.map(
            lambda leaf: leaf.reshape(recipe.rows, *leaf.shape[2:]),
            (rows, advantage, advantage + rows.value),
        )

        def epoch(carry: Any, key: jax.Array) -> Any:
            order = jax.random.permutation(key, recipe.rows)
            parts = jax.tree.map(
                lambda leaf: leaf[order].reshape(recipe.minibatches, -1, *leaf.shape[1:]), batch
            )
            carry, _ = jax.lax.scan(learn, carry, parts)
            return carry, None

        key, shuffle = jax.random.split(runner.key)
        keys = jax.random.split(shuffle, recipe.epochs)
        (params, opt_state), _ = jax.lax.scan(epoch, (runner.params, runner.opt_state), keys)
        return runner._replace(params=params, opt_state=opt_state, key=key), watched

    return start, lambda runner: jax.lax.scan(update, runner, None, updates)


def _advantages(recipe: Recipe, rows: _Rows, last: jax.Array) -> jax.Array:
    def back(carry: Any, row: _Rows) -> Any:
        advantage, following = carry
        going = 1.0 - row.done
        delta = row.reward + recipe.gamma * following * going - row.value
        advantage = delta + recipe.gamma * recipe.gae_lambda * going * advantage
        return (advantage, row.value), advantage

    start = (jnp.zeros_like(last), last)
    return jax.lax.scan(back, start, rows, reverse=True, unroll=16)[1]


def _log_prob(logits: jax.Array, action: jax.Array) -> jax.Array:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), action[..., None], axis=-1)
    return chosen[..., 0]
