"""What a server of a language model understands, and what may come from it."""

from __future__ import annotations

import dataclasses
import re
from typing import Literal

__all__ = ["ServerConfig"]

# Of the longest names in use, and no keys: those have more letters, or others.
_VARIABLE = re.compile("[A-Z_][A-Z0-9_]{0,39}")


@dataclasses.dataclass(frozen=True)
class ServerConfig:
    """How a server is spoken to (``openai:…``), and what is written into a batch (``batch:…``).

    Servers pass over fields that they do not know without a word, so everything here that is not
    in every server is off until somebody says which server it is.

    Attributes:
      key_variable: environment variable that holds the key; "" sends none. The key goes to whatever
        URL the generator names, and into no record.
      structured: how the server is told the form of an answer. "openai" sends JSON schemas alone;
        llama.cpp, sglang, vllm and vllm-0.11 (before 0.12) the grammar of programs as well.
      length_field: name of the longest answer in a request; OpenAI's newer models want the second.
      reasoning_tokens: added to the longest answer of every request, for a model whose hidden
        reasoning counts as answer. The receipts then say how long the answer itself may be.
      leave_out: fields a request goes without, such as ("temperature", "top_p", "seed") where a
        model refuses them. The receipts then say what was asked for, not what was done.
      answer_kib: of an answer, the connection is cut after so many KiB.
      batch_model: the model that the requests of a batch name.
    """

    key_variable: str = "OPENAI_API_KEY"
    structured: Literal["off", "openai", "llama.cpp", "sglang", "vllm", "vllm-0.11"] = "off"
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning_tokens: int = 0
    leave_out: tuple[str, ...] = ()
    answer_kib: int = 4096
    batch_model: str = ""

    def __post_init__(self) -> None:
        if self.answer_kib < 1:
            raise ValueError(f"answer_kib is {self.answer_kib}; it must be at least 1")
        if self.reasoning_tokens < 0:
            raise ValueError(f"reasoning_tokens is {self.reasoning_tokens}; it must be at least 0")
        for name in ("model", "messages"):
            if name in self.leave_out:
                raise ValueError(f"leave_out has {name!r}, without which nothing can be asked")
        # A key pasted here would be written to the run's config.
        if self.key_variable and not _VARIABLE.fullmatch(self.key_variable):
            raise ValueError("key_variable must be the name of an environment variable")
