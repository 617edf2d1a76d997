"""What a model thinks before it answers is no part of its answer."""

from __future__ import annotations

import re

__all__ = ["without_thoughts"]

_NAMES = "think|thinking|reasoning"
_THOUGHT = re.compile(rf"<({_NAMES})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END = re.compile(rf"</(?:{_NAMES})>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """The text without what stands from ``<think>`` to ``</think>`` (or to its end), and without
    all before a ``</think>`` that is left: some chat templates begin the thought in the prompt.
    """
    text = _THOUGHT.sub("", text)
    ends = [found.end() for found in _END.finditer(text)]
    return text[ends[-1] :] if ends else text
