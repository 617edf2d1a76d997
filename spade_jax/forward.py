"""The learner's network in NumPy, forward only: what probes play with. Imports no JAX.

The embedding of a cell is linear in ``unpack_cells``, whose numbers each depend on one channel of
the cell. So it is a sum of table look-ups, two channels a table, and the one-hot numbers (39 floats
a cell, most of them 0) are never written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.interface import ACTIONS, CELL_CHANNELS, Observation, unpack_cells
from spade_jax.gru import gru

__all__ = ["Forward"]

_MASKED = -1e9  # logit of an illegal action: finite, so that no row can produce a NaN
_VALUES = 256  # that a channel can take


class Forward:
    """The network of ``learner/network.py``; a test holds the two together.

    With the parameters of a recurrent core it is that of ``learner/recurrent.py``, to be called
    through ``step``.

    Args:
      params: flat parameters as ``learner.network.numpy_params`` gives them.
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        self.params = {name: np.asarray(value, np.float32) for name, value in params.items()}
        self._tables = _tables(self.params["cell/kernel"], self.params["cell/bias"])

    def __call__(self, observation: Observation) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(masked logits float32[..., 20], value float32[...]) of observations [...]."""
        return self.heads(self.trunk(observation), observation.legal)

    @property
    def recurrent(self) -> bool:
        """Whether there is a recurrent core."""
        return "gru/hr/kernel" in self.params

    def blank(self, batch: int) -> NDArray[np.float32]:
        """The core's memory before the first row of ``batch`` episodes, float32[batch, H]."""
        return np.zeros((batch, len(self.params["gru/hr/kernel"])), np.float32)

    def step(
        self, observation: Observation, memory: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """One row through the recurrent core.

        Args:
          observation: leading axis [N]. memory: float32[N, H], of the row before or ``blank``.

        Returns:
          (masked logits float32[N, 20], value float32[N], memory float32[N, H] after the row).
        """
        memory = gru(self.params, memory, self.trunk(observation))
        return *self.heads(memory, observation.legal), memory

    def trunk(self, observation: Observation) -> NDArray[np.float32]:
        """What the heads read: float32[N, hidden], the leading axes made one."""
        p = self.params
        count = observation.legal.size // ACTIONS
        view = self._embed(observation.cells).reshape(count, -1)
        hidden = view @ p["view/kernel"]
        hidden += observation.hud.reshape(count, -1) @ p["hud/kernel"]
        hidden += p["hud/bias"]
        np.maximum(hidden, 0, out=hidden)
        return np.maximum(hidden @ p["core/kernel"] + p["core/bias"], 0)

    def heads(
        self, hidden: NDArray[np.float32], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Masked logits and values; ``legal`` bool[..., 20] has the leading axes."""
        p = self.params
        logits = (hidden @ p["policy/kernel"] + p["policy/bias"]).reshape(legal.shape)
        value = hidden @ p["value/kernel"] + p["value/bias"]
        return np.where(legal, logits, np.float32(_MASKED)), value.reshape(legal.shape[:-1])

    def _embed(self, cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        """uint8[..., V, V, 6] -> float32[cells, embedding]."""
        pairs = np.ascontiguousarray(cells).view(np.uint16).reshape(-1, CELL_CHANNELS // 2)
        look = np.take(self._tables[0], pairs[:, 0], axis=0)
        for i in range(1, len(self._tables)):
            look += np.take(self._tables[i], pairs[:, i], axis=0)
        return np.maximum(look, 0, out=look)


def _tables(kernel: NDArray[np.float32], bias: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """What each pair of channels adds to a cell's embedding, by the pair read as one uint16."""
    cells = np.zeros((CELL_CHANNELS, _VALUES, CELL_CHANNELS), np.uint8)
    for channel in range(CELL_CHANNELS):
        cells[channel, :, channel] = np.arange(_VALUES)
    features = unpack_cells(np, cells)
    blank = features[0, 0]
    added = (features - blank) @ kernel
    added[0] += blank @ kernel + bias
    # In memory the first channel of a pair comes first, whichever of the uint16's bytes that is.
    codes = np.arange(_VALUES * _VALUES, dtype=np.uint16).view(np.uint8).reshape(-1, 2)
    return [
        added[channel][codes[:, 0]] + added[channel + 1][codes[:, 1]]
        for channel in range(0, CELL_CHANNELS, 2)
    ]
