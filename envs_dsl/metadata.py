"""The metadata header of an accepted program: leading ``# key: value`` comment lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["read_header", "write_header"]

_LINE = re.compile(r"# ([a-z_]+): (.*)")


def read_header(text: str) -> dict[str, str]:
    """The header's keys and values; empty where there is none."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            break
        found[match[1]] = match[2].strip()
    return found


def write_header(text: str, meta: Mapping[str, object]) -> str:
    """``text`` with its header replaced by ``meta`` (one line a key, in the order given).

    Raises:
      ValueError: a key is not lower-case words, or a value does not fit one line of plain ASCII.
    """
    lines = text.split("\n")
    body = lines[len(read_header(text)) :]
    header = []
    for key, value in meta.items():
        line = f"# {key}: {value}"
        if _LINE.fullmatch(line) is None or not line.isprintable() or not line.isascii():
            raise ValueError(f"header entry {key!r} must be one line of plain ASCII text")
        header.append(line)
    return "\n".join([*header, *body])
