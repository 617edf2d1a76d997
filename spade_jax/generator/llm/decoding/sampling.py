"""Drawing one token, in NumPy: the same numbers whatever device the logits came from."""

from __future__ import annotations

import numpy as np

__all__ = ["draw"]


def draw(
    logits: np.ndarray,
    rng: np.random.Generator,
    temperature: float,
    top_p: float,
    mask: np.ndarray | None = None,
) -> int:
    """A token from float32[V] logits.

    Args:
      temperature: 0 takes the likeliest. top_p: the likeliest tokens that together have this much
        of the probability are drawn from (nucleus sampling, 1904.09751).
      mask: bool[V]: the tokens that may be drawn.

    Raises:
      ValueError: no token may be drawn.
    """
    if mask is None:
        tokens = np.arange(len(logits))
    else:
        tokens = np.flatnonzero(mask[: len(logits)])
    if not len(tokens):
        raise ValueError("no token may be drawn")
    values = logits[tokens].astype(np.float64)
    if temperature <= 0 or len(tokens) == 1:
        return int(tokens[int(np.argmax(values))])
    values = np.exp((values - values.max()) / temperature)
    if top_p < 1:
        # a stable order: equal logits must not depend on how a sort goes
        order = np.argsort(-values, kind="stable")
        total = np.cumsum(values[order])
        kept = int(np.searchsorted(total, top_p * total[-1])) + 1
        tokens, values = tokens[order[:kept]], values[order[:kept]]
    edges = np.cumsum(values)
    at = int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))
    return int(tokens[min(at, len(tokens) - 1)])
