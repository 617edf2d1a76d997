"""A random number generator in the place of a model: what the constraints do by themselves."""

from __future__ import annotations

import numpy as np

from spade_jax.generator.llm.decoding.guide import Guide, Vocabulary
from spade_jax.generator.llm.decoding.script import Script

__all__ = ["MOST_TOKENS", "write_noise"]

MOST_TOKENS = 20_000

_LIKELIER = (("\n", 40), (")", 12), ('"', 3))
"""What closes something comes more often, or nothing would ever come to an end."""


def write_noise(
    vocabulary: Vocabulary, script: Script, seed: int, most: int = MOST_TOKENS
) -> tuple[Guide, int]:
    """Draw characters under a script until it ends: (the guide with the text, how many were drawn).

    Args:
      vocabulary: one token a byte. most: after so many the text stays unfinished.
    """
    rng = np.random.default_rng(seed)
    guide = Guide(vocabulary, script)
    for drawn in range(most):
        if guide.ended:
            return guide, drawn
        tokens = np.flatnonzero(guide.mask())
        weights = np.ones(len(tokens))
        for char, weight in _LIKELIER:
            weights[tokens == ord(char)] = weight
        guide.push(int(rng.choice(tokens, p=weights / weights.sum())))
    return guide, most
