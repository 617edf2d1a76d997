"""Quoting what others wrote: model output, docstrings and diagnostics cannot leave their fence."""

from __future__ import annotations

import re

__all__ = ["fenced", "one_line"]

_LINE_BREAKS = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_SPECIAL = re.compile(
    r"<\|([^<>|\n]{1,40})\|>|<(/?(?:s|bos|eos|think|tool_call|start_of_turn|end_of_turn))>|\[(/?INST)\]"
)


def fenced(text: str, language: str = "") -> str:
    """``text`` between rows of backticks that are longer than any row inside it.

    Signs that a reader cannot see are dropped, and what chat templates use as marks of a turn
    (``<|im_end|>``) is spelled apart, since a tokenizer would take it for the mark itself.
    """
    text = _plain(text).strip("\n")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def one_line(text: str, most: int = 200) -> str:
    """``text`` as one line of at most ``most`` characters, without backticks."""
    line = " ".join(_plain(text).replace("`", "'").split())
    return line if len(line) <= most else line[: most - 3].rstrip() + "..."


def _plain(text: str) -> str:
    text = _INVISIBLE.sub("", _LINE_BREAKS.sub("\n", text))
    text = text.encode("utf-8", errors="replace").decode("utf-8")  # no lone surrogates
    return _SPECIAL.sub(lambda m: f"( {m[1] or m[2] or m[3]} )", text)
