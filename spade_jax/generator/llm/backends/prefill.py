"""What a model makes of the prompts of a batch, before the first token of an answer.

Imports torch and transformers.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from spade_jax.generator.llm.backends.roomy import make_roomy

__all__ = ["Begun", "Prefill"]


@dataclasses.dataclass(frozen=True)
class Begun:
    """B conversations of which the model has read T slots.

    Attributes:
      logits: float32[B, V], of the next token.
      cache: keys and values.
      mask: int64[B, T], 1 where a slot holds a token of the conversation.
      places: int64[B], the position of the next token.
    """

    logits: np.ndarray
    cache: Any
    mask: torch.Tensor
    places: torch.Tensor


class Prefill:
    """Runs prompts through a causal model of transformers; equal ones once.

    What all prompts of a batch begin with is run once where that is at least half of the longest,
    and kept for the next batch that begins alike. Where it is less, no mask is worth more: without
    one, attention looks at one half of the pairs, and takes less than half of the time on a CPU.
    """

    def __init__(self, model: Any, device: str) -> None:
        self.model, self.device = model, device
        self._kept: tuple[tuple[int, ...], Any] = ((), None)

    def forget(self) -> None:
        """Give back the memory of what was kept for the next batch."""
        self._kept = ((), None)

    def __call__(self, prompts: list[list[int]]) -> Begun:
        distinct = list(dict.fromkeys(map(tuple, prompts)))
        empty = DynamicCache(config=self.model.config)
        if all(type(layer) is DynamicLayer for layer in empty.layers):
            logits, mask, cache = self._right(distinct, empty)
        else:
            logits, mask, cache = self._left(distinct, empty)
        make_roomy(cache)
        places = mask.sum(1)
        if len(prompts) == len(distinct):
            return Begun(logits, cache, mask, places)
        which = [distinct.index(tuple(prompt)) for prompt in prompts]
        at = torch.tensor(which, device=self.device)
        cache.batch_select_indices(at)
        return Begun(logits[which], cache, mask[at], places[at])

    def _right(self, prompts: list[tuple[int, ...]], empty: Any) -> tuple[np.ndarray, Any, Any]:
        """(logits, mask, cache); what fills the rows up comes after all that looks back."""
        shared = _common(prompts)
        if 2 * shared < max(map(len, prompts)):
            shared = 0
        cache = self._begun_with(prompts[0][:shared]) if shared else empty
        if shared and len(prompts) > 1:
            cache.batch_repeat_interleave(len(prompts))
        lengths = [len(prompt) for prompt in prompts]
        width = max(lengths)
        ends = sorted(set(lengths))
        out = self.model(
            input_ids=self._tensor([[*p[shared:], *[0] * (width - len(p))] for p in prompts]),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=self._tensor([end - shared - 1 for end in ends]),
        )
        last = torch.stack([out.logits[i, ends.index(n)] for i, n in enumerate(lengths)])
        mask = self._tensor([[1] * n + [0] * (width - n) for n in lengths])
        return last.float().cpu().numpy(), mask, cache

    def _left(self, prompts: list[tuple[int, ...]], cache: Any) -> tuple[np.ndarray, Any, Any]:
        """The same where layers forget (windows, states), and so have to end on the last tokens."""
        width = max(map(len, prompts))
        gaps = [width - len(prompt) for prompt in prompts]
        mask = self._tensor([[0] * gap + [1] * (width - gap) for gap in gaps])
        out = self.model(
            input_ids=self._tensor([[*[0] * gap, *p] for gap, p in zip(gaps, prompts)]),
            attention_mask=mask,
            position_ids=(mask.cumsum(1) - 1).clamp(min=0),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return out.logits[:, -1].float().cpu().numpy(), mask, cache

    def _begun_with(self, ids: tuple[int, ...]) -> Any:
        if self._kept[0] != ids:
            cache = DynamicCache(config=self.model.config)
            whole = self._tensor([ids])
            self.model(input_ids=whole, past_key_values=cache, use_cache=True, logits_to_keep=1)
            self._kept = (ids, cache)
        return copy.deepcopy(self._kept[1])

    def _tensor(self, numbers: Any) -> torch.Tensor:
        return torch.tensor(numbers, device=self.device)


def _common(prompts: list[tuple[int, ...]]) -> int:
    """How many tokens all prompts begin with, at least one less than the shortest has."""
    shortest = min(map(len, prompts)) - 1
    for i in range(shortest):
        if len({p[i] for p in prompts}) > 1:
            return i
    return max(shortest, 0)
