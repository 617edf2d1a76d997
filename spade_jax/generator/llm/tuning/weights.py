"""Tuned weights put on a model; torch and peft are imported here, in processes of their own."""

from __future__ import annotations

import pathlib
from typing import Any

from spade_jax.generator.llm.tuning.job import finished

__all__ = ["adapted"]


def adapted(model: Any, folder: str) -> tuple[Any, str]:
    """(the model with what a tuning added, SHA-256 of that).

    A low-rank addition is kept apart: added up in bfloat16 most of it would be rounded away.

    Raises:
      ValueError: the folder holds no whole tuning.
      ImportError: peft is not installed.
    """
    found = finished(pathlib.Path(folder))
    if found is None:
        raise ValueError(f"{folder} holds no finished tuning, or a damaged one")
    if (found.folder / "adapter_config.json").is_file():
        from peft import PeftModel

        return PeftModel.from_pretrained(model, folder, local_files_only=True), found.digest
    from transformers import AutoModelForCausalLM

    whole = AutoModelForCausalLM.from_pretrained(folder, dtype=model.dtype, local_files_only=True)
    return whole, found.digest
