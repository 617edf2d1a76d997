"""Prompts of unlike lengths in one batch, against each alone: tiny random models, in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.llm

STEM = list(range(3, 43))
PROMPTS = {
    "unlike": [[5, 6, 7], list(range(8, 38)), [9] * 11],
    "equal": [[5, 6, 7, 8], [9, 4], [5, 6, 7, 8]],
    "half in common": [[*STEM, 50], [*STEM, 51, 52, 53], [*STEM, 50, 60]],
    "one": [[5, 6, 7]],
}


def model(kind: str) -> Any:
    import torch
    import transformers

    torch.manual_seed(0)
    sizes: dict[str, Any] = {
        "vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256,
    }  # fmt: skip
    if kind == "windows":
        more: dict[str, Any] = {"head_dim": 8, "sliding_window": 16}
        more["layer_types"] = ["sliding_attention", "full_attention"]
        config: Any = transformers.Gemma3TextConfig(**sizes, **more)
        return transformers.Gemma3ForCausalLM(config).float().eval()
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).float().eval()


def scores(model: Any, prompts: list[list[int]], answers: list[list[int]]) -> np.ndarray:
    """[B, T, V]: of the tokens after each prompt and after each token of its answer."""
    import torch

    from spade_jax.generator.llm.backends.prefill import Prefill

    with torch.inference_mode():
        prefill = Prefill(model, "cpu")
        prefill(prompts)  # the second time some of it may be kept
        begun = prefill(prompts)
        told, mask = [begun.logits], begun.mask
        for i in range(len(answers[0])):
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
            out = model(
                input_ids=torch.tensor([[answer[i]] for answer in answers]),
                attention_mask=mask,
                position_ids=(begun.places + i)[:, None],
                past_key_values=begun.cache,
                use_cache=True,
            )
            told.append(out.logits[:, -1].numpy())
    return np.stack(told, 1)


@pytest.mark.parametrize("prompts", PROMPTS.values(), ids=list(PROMPTS))
@pytest.mark.parametrize("kind", ["plain", "windows"])
def test_a_batch_is_read_as_each_prompt_alone(kind: str, prompts: list[list[int]]) -> None:
    import torch

    net = model(kind)
    answers = [[7 + i, 20, 30 - i] for i in range(len(prompts))]
    found = scores(net, prompts, answers)
    for i, prompt in enumerate(prompts):
        whole = torch.tensor([[*prompt, *answers[i]]])
        with torch.inference_mode():
            alone = net(input_ids=whole).logits[0, len(prompt) - 1 :].numpy()
        np.testing.assert_allclose(found[i], alone, atol=1e-5)
