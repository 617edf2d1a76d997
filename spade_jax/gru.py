"""The gated recurrent unit (arXiv 1406.1078) in NumPy: the cell that ``flax.linen.GRUCell`` is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["gru"]


def gru(
    params: Mapping[str, NDArray[np.float32]],
    memory: NDArray[np.float32],
    below: NDArray[np.float32],
) -> NDArray[np.float32]:
    """One step of the core.

        r = σ(W_ir·x + b_ir + W_hr·h);  z = σ(W_iz·x + b_iz + W_hz·h)
        n = tanh(W_in·x + b_in + r·(W_hn·h + b_hn));  h' = (1 − z)·n + z·h

    Args:
      params: flat parameters (``gru/ir/kernel`` …). memory: h, float32[N, H].
      below: x, what the layers below give, float32[N, W].

    Returns:
      h', float32[N, H].
    """

    def into(gate: str) -> NDArray[np.float32]:
        return below @ params[f"gru/i{gate}/kernel"] + params[f"gru/i{gate}/bias"]

    def back(gate: str) -> NDArray[np.float32]:
        return memory @ params[f"gru/h{gate}/kernel"]

    r = _sigmoid(into("r") + back("r"))
    z = _sigmoid(into("z") + back("z"))
    n = np.tanh(into("n") + r * (back("n") + params["gru/hn/bias"]))
    return (np.float32(1.0) - z) * n + z * memory


def _sigmoid(x: NDArray[np.float32]) -> NDArray[np.float32]:
    # By way of tanh, which no argument makes overflow.
    return np.float32(0.5) * np.tanh(np.float32(0.5) * x) + np.float32(0.5)
