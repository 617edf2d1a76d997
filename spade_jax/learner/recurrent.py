"""The optional recurrent core, and all that differs between a policy with a memory and one without.

A gated recurrent unit (arXiv 1406.1078; flax's ``GRUCell``) stands between the hidden layers and
the heads. Its state, the *memory* float32[N, H], is kept per copy in the roll-out's carry; without
a core it is ``()``, which has no leaves, so that nothing is computed or stored for it.

Alignment, which ``starts`` says once for the roll-out and the update:

- A copy that takes a new level forgets: the first row of every episode starts from zeros.
- A truncated episode stays one row longer (see ``cohort.py``). That row's observation goes through
  the core with the memory of the episode it ends, so its value is the bootstrap value; only the
  row after it starts from zeros.

The update goes over whole sequences of the roll-out from the memory the roll-out began with, and
forgets where the roll-out forgot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flax.linen as nn
import jax
import jax.numpy as jnp

from envs_dsl.interface import Observation
from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.network import PolicyValue, features, heads

if TYPE_CHECKING:
    from spade_jax.learner.cohort import Steps

__all__ = [
    "Network",
    "RecurrentPolicyValue",
    "apply_sequence",
    "apply_step",
    "forget",
    "make_network",
    "memory_shape",
    "starts",
]


class RecurrentPolicyValue(nn.Module):
    """``PolicyValue`` with a GRU between the hidden layers and the heads, over T rows.

    (observation [T, N, ...], memory float32[N, H], start bool[T, N]) -> (masked logits
    float32[T, N, 20], value float32[T, N], memory float32[N, H] after the last row). Where
    ``start`` is set, a row begins from zeros instead of from the memory of the row before.

    Attributes:
      hidden: width H of the hidden layers and of the memory.
      cell_embedding: see ``PolicyValue``.
    """

    hidden: int = 128
    cell_embedding: int = 8

    @nn.compact
    def __call__(
        self, observation: Observation, memory: jax.Array, start: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        def row(cell: nn.GRUCell, memory: Any, given: tuple[Any, Any]) -> tuple[Any, Any]:
            below, start = given
            return cell(forget(start, memory), below)

        below = features(observation, self.hidden, self.cell_embedding)
        below = below.reshape(*start.shape, self.hidden)
        scan = nn.scan(row, variable_broadcast="params", split_rngs={"params": False})
        memory, after = scan(nn.GRUCell(self.hidden, name="gru"), memory, (below, start))
        logits, value = heads(after.reshape(-1, self.hidden), observation.legal)
        return logits, value, memory


Network = PolicyValue | RecurrentPolicyValue


def make_network(config: LearnerConfig) -> Network:
    """The network that the settings ask for."""
    kind = PolicyValue if config.core == "none" else RecurrentPolicyValue
    return kind(config.hidden, config.cell_embedding)


def memory_shape(network: Network, copies: int) -> Any:
    """Shape and dtype of the memory of that many copies; ``()`` without a core."""
    if isinstance(network, RecurrentPolicyValue):
        return jax.ShapeDtypeStruct((copies, network.hidden), jnp.float32)
    return ()


def forget(mask: jax.Array, memory: Any) -> Any:
    """Zeros where mask[N], the memory elsewhere."""
    return jax.tree.map(lambda leaf: jnp.where(mask[:, None], 0.0, leaf), memory)


def starts(steps: Steps) -> jax.Array:
    """Which rows of a roll-out begin from zeros, bool[T, N].

    A row does if the one before it terminated or was no step: then the copy took a new level. Row 0
    begins from the memory that is stored with the roll-out, which is zeros where it has to be.
    """
    renewed = steps.terminated | ~steps.valid
    return jnp.concatenate([jnp.zeros_like(renewed[:1]), renewed[:-1]])


def apply_step(
    network: Network, params: Any, observation: Observation, memory: Any
) -> tuple[jax.Array, jax.Array, Any]:
    """One row: (observation [N, ...], memory) -> (logits [N, 20], value [N], memory after it)."""
    found: Any
    if not isinstance(network, RecurrentPolicyValue):
        found = network.apply({"params": params}, observation)
        return *found, memory
    row = jax.tree.map(lambda leaf: leaf[None], observation)
    start = jnp.zeros(row.legal.shape[:2], bool)
    found = network.apply({"params": params}, row, memory, start)
    logits, value, memory = found
    return logits[0], value[0], memory


def apply_sequence(
    network: RecurrentPolicyValue, params: Any, observation: Observation, memory: Any, start: Any
) -> tuple[jax.Array, jax.Array]:
    """Logits float32[T, N, 20] and values float32[T, N] of whole sequences."""
    found: Any = network.apply({"params": params}, observation, memory, start)
    return found[0], found[1]
