"""The process in which a model is tuned: ``python -m …tuning.worker KEY.jsonl KEY``.

It ends when its input does. The weights appear under their name only when they are whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any

from spade_jax.background import stand_back
from spade_jax.generator.llm.backends import gguf
from spade_jax.generator.llm.backends.local_worker import weights_at
from spade_jax.generator.llm.tuning.job import DONE, Example, read_job
from spade_jax.generator.llm.tuning.samples import schedule

__all__ = ["main", "tokens_of"]

NICE = 10
"""The training goes first: there is no hurry."""

WARM_UP = 0.1
"""Share of the steps in which the learning rate rises; after them it falls as a cosine does."""

ALPHA = 2.0
"""Scale of the low-rank addition, in ranks."""


def main(argv: list[str]) -> int:
    """Tune; 1 and one line on stderr where it cannot be done."""
    stand_back(NICE)
    threading.Thread(target=_until_input_ends, daemon=True).start()
    inputs, target = map(pathlib.Path, argv)
    try:
        settings, examples = read_job(inputs)
        tune(settings, examples, target)
    except Exception as error:  # whatever the libraries come to: one line for a person
        print(f"{type(error).__name__}: {' '.join(str(error).split())[:250]}", file=sys.stderr)
        return 1
    return 0


def _until_input_ends() -> None:
    sys.stdin.read()
    os._exit(0)  # whoever asked is gone


def tune(settings: Mapping[str, Any], examples: list[Example], target: pathlib.Path) -> None:
    """Train on the examples and write the weights to the folder ``target``."""
    import torch

    from spade_jax.generator.llm.backends.local_model import LocalModel

    found = gguf.find(str(settings["backend"]).removeprefix("transformers:"))
    place, revision = weights_at(found.kind, found.place)
    local = LocalModel(
        place,
        name=str(settings["backend"]),
        revision=revision,
        device=settings["device"],
        threads=settings["threads"],
        constrain=settings["constrain"],
    )
    rows = [tokens_of(local, e, settings["tokens"]) for e in examples]
    kept = [(row, e.weight) for row, e in zip(rows, examples, strict=True) if row is not None]
    order = schedule([w for _, w in kept], settings["steps"], settings["batch"], settings["seed"])
    torch.manual_seed(settings["seed"])
    model = _trainable(local.model, settings)
    start = time.perf_counter()
    losses = _train(model, local.device, [row for row, _ in kept], order, settings["rate"])
    told = {
        "model": local.name,
        "base": local.revision,
        "examples": len(examples),
        "too_long": len(examples) - len(kept),
        "losses": [round(loss, 4) for loss in losses],
        "seconds": round(time.perf_counter() - start, 1),
    }
    _write(model, local.tokenizer, told, target)


def tokens_of(local: Any, example: Example, longest: int) -> tuple[list[int], int] | None:
    """(tokens, how many of the last are the answer); None where the answer alone is too long.

    The answer ends as one that is decoded under a grammar does: with the fence that was opened for
    it, and the end of the turn. A prompt that is too long loses its beginning.
    """
    prompt = local.prompt(example.request)
    text, fenced = example.text, local.fenced(example.request)
    if fenced:
        text = text.rstrip("\n") + "\n```"
    elif example.code:
        text = f"```python\n{text.rstrip()}\n```"
    answer = list(local.tokenizer(text, add_special_tokens=False)["input_ids"])
    answer.append(local.end)
    room = longest - len(answer)
    if room < 1:
        return None
    return prompt[-room:] + answer, len(answer)


def _trainable(model: Any, settings: Mapping[str, Any]) -> Any:
    if settings["method"] == "full":
        # the steps are smaller than bfloat16 can add
        return model.float().requires_grad_(True).train()
    from peft import LoraConfig, get_peft_model

    rank = int(settings["rank"])
    config = LoraConfig(
        r=rank,
        lora_alpha=ALPHA * rank,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config).train()


def _train(model: Any, device: str, rows: list[Any], order: Any, rate: float) -> list[float]:
    """Losses, one a step: mean over its examples of the answer's mean loss a token."""
    import torch

    weights = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=rate, weight_decay=0.0)
    steps = len(order)
    rising = max(1, round(WARM_UP * steps))
    schedule_ = torch.optim.lr_scheduler.SequentialLR(
        optimiser,
        [
            torch.optim.lr_scheduler.LinearLR(optimiser, 1 / rising, total_iters=rising),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, max(1, steps - rising)),
        ],
        [rising],
    )
    losses = []
    for batch in order:
        total = 0.0
        for index in batch:  # one after another: padding would cost more than it saves on a CPU
            ids, answer = rows[int(index)]
            tokens = torch.tensor([ids], device=device)
            # the last logit of the prompt says the first token of the answer
            out = model(input_ids=tokens, logits_to_keep=answer + 1, use_cache=False)
            logits = out.logits[0, :-1].float()
            loss = torch.nn.functional.cross_entropy(logits, tokens[0, -answer:])
            (loss / len(batch)).backward()
            total += float(loss)
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        schedule_.step()
        losses.append(total / len(batch))
    return losses


def _write(model: Any, tokenizer: Any, told: dict[str, Any], target: pathlib.Path) -> None:
    for left in target.parent.glob(f"{target.name}*"):
        if left.is_dir():  # of one that was killed, or damaged since
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{target.name}.") as temporary:
        folder = pathlib.Path(temporary) / "weights"
        if hasattr(model, "peft_config"):
            model.save_pretrained(folder, save_embedding_layers=False)
        else:
            import torch

            model.to(torch.bfloat16).save_pretrained(folder, max_shard_size="100GB")
            tokenizer.save_pretrained(folder)
        (file,) = folder.glob("*.safetensors")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        (folder / DONE).write_text(
            json.dumps({**told, "file": file.name, "sha256": digest}, indent=1), encoding="utf-8"
        )
        os.replace(folder, target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
