"""One policy-value network for all programs.

A shared linear map of a cell's features (one-hot, so that its gradient is a matmul and not a
scatter), the view flattened, the hud beside it, one hidden layer on top, two heads. About 0.16 M
multiply-adds a sample with the default sizes: small enough that on two CPU cores an update is not
slower than the environments by an order of magnitude.

``spade_jax.forward`` is the same function in NumPy; a test holds them together.
"""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import flax.traverse_util
import jax
import jax.numpy as jnp
import numpy as np

from envs_dsl.interface import ACTIONS, CELL_FEATURES, HUD, VIEW, Observation, unpack_cells

__all__ = ["MASKED", "PolicyValue", "entropy", "init_params", "log_prob", "numpy_params"]

MASKED = -1e9
"""Logit of an illegal action: finite, so that no row can produce a NaN."""


class PolicyValue(nn.Module):
    """Observation [...] -> (masked logits float32[..., 20], value float32[...]).

    Attributes:
      hidden: width of the two hidden layers.
      cell_embedding: numbers a cell is reduced to before the view is flattened.
    """

    hidden: int = 128
    cell_embedding: int = 8

    @nn.compact
    def __call__(self, observation: Observation) -> tuple[jax.Array, jax.Array]:
        hidden = features(observation, self.hidden, self.cell_embedding)
        return heads(hidden, observation.legal)


def features(observation: Observation, hidden: int, cell_embedding: int) -> jax.Array:
    """The layers below the heads, float32[N, hidden]; N is the product of the leading axes.

    To be called in a module's compact method, whose parameters the layers' become.
    """
    # Two-dimensional operands: one plain matmul each.
    cells = unpack_cells(jnp, observation.cells).reshape(-1, CELL_FEATURES)
    look = nn.relu(_dense("cell", cell_embedding, 2**0.5)(cells))
    look = look.reshape(-1, VIEW * VIEW * cell_embedding)
    hud = observation.hud.reshape(-1, HUD)
    # The first layer in two parts: the concatenation would be a copy of the whole batch.
    below = _dense("view", hidden, 1.0, use_bias=False)(look)
    below = nn.relu(below + _dense("hud", hidden, 1.0)(hud))
    return nn.relu(_dense("core", hidden, 2**0.5)(below))


def heads(hidden: jax.Array, legal: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Masked logits float32[..., 20] and value float32[...] of hidden float32[N, H].

    ``legal``: bool[..., 20]. To be called in a module's compact method, as ``features``.
    """
    lead = legal.shape[:-1]
    logits = _dense("policy", ACTIONS, 0.01)(hidden).reshape(*lead, ACTIONS)
    value = _dense("value", 1, 1.0)(hidden).reshape(lead)
    return jnp.where(legal, logits, MASKED), value


def _dense(name: str, width: int, scale: float, *, use_bias: bool = True) -> nn.Dense:
    init = nn.initializers.orthogonal(scale)
    return nn.Dense(width, use_bias=use_bias, kernel_init=init, name=name)


def init_params(network: nn.Module, key: jax.Array) -> Any:
    """Fresh parameters (a dict of dicts of float32 arrays) of either kind of network."""
    blank = Observation(
        cells=jnp.zeros((1, VIEW, VIEW, 6), jnp.uint8),
        hud=jnp.zeros((1, HUD), jnp.float32),
        legal=jnp.ones((1, ACTIONS), bool),
    )
    if isinstance(network, PolicyValue):
        return network.init(key, blank)["params"]
    rows = jax.tree.map(lambda leaf: leaf[None], blank)
    memory = jnp.zeros((1, network.hidden), jnp.float32)
    return network.init(key, rows, memory, jnp.zeros((1, 1), bool))["params"]


def numpy_params(params: Any) -> dict[str, np.ndarray]:
    """Parameters as a flat dict (``cell/kernel`` …) of NumPy arrays, for ``play.numpy_policy``."""
    flat = flax.traverse_util.flatten_dict(params, sep="/")
    return {name: np.asarray(value) for name, value in flat.items()}


def log_prob(logits: jax.Array, action: jax.Array) -> jax.Array:
    """log π(action): logits float32[..., 20], action int32[...] -> float32[...]."""
    picked = action[..., None] == jnp.arange(ACTIONS, dtype=jnp.int32)
    return jnp.sum(jnp.where(picked, jax.nn.log_softmax(logits), 0.0), axis=-1)


def entropy(logits: jax.Array) -> jax.Array:
    """Entropy in nats over the legal actions, float32[...]; 0 where only one is legal."""
    log_p = jax.nn.log_softmax(logits)
    return -jnp.sum(jnp.exp(log_p) * jnp.maximum(log_p, MASKED), axis=-1)
