"""Hostile inputs as data, each with the verdict it must get.

A case of ``*.yaml`` gives its input in one of four ways:

- ``text``: the whole text.
- ``hex``: bytes as a file would hold them.
- ``replace``: ``[old, new]`` pairs on the base program (``base.txt``).
- ``head``, ``fields``, ``reset``, ``body``: what is put into the slots of the base program.

A text is one string, or a list of pieces: a string, or ``{repeat: text, times: n}``, in which
``{i}`` counts from 1 and ``{j}`` from 0. So an input of many kilobytes is a few lines of data.

``verdict`` lists every finding as ``CODE line``, in order; ``b2`` is the second line of the body,
``h2`` of the head, ``f2`` of the fields, ``r2`` of the reset, a plain number a line of the text. An
empty list, or warnings alone, means that the program is accepted.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re
import textwrap
from typing import Any

import yaml

__all__ = ["Case", "base", "cases"]

FOLDER = pathlib.Path(__file__).parent
SLOTS = ("head", "fields", "reset", "body")
INDENT = {"head": "", "fields": "    ", "reset": "    ", "body": "    "}


@dataclasses.dataclass(frozen=True)
class Case:
    """One input: its file and name, its text, and the (code, line) of every finding, in order."""

    name: str
    text: str
    verdict: tuple[tuple[str, int], ...]

    @property
    def accepted(self) -> bool:
        return all(code.startswith("W") for code, _ in self.verdict)


def base() -> str:
    """The base program, its slots empty."""
    return _fill({})[0]


@functools.cache
def cases() -> tuple[Case, ...]:
    """Every case of the folder, in the order of files and lines."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for row in yaml.safe_load(path.read_text(encoding="utf-8")):
            found.append(_case(path.stem, row))
    return tuple(found)


def _case(group: str, row: dict[str, Any]) -> Case:
    starts = dict.fromkeys(SLOTS, 0)
    if "text" in row:
        text = _pieces(row["text"])
    elif "hex" in row:
        text = bytes.fromhex(row["hex"]).decode("utf-8", errors="replace")
    elif "replace" in row:
        text = base()
        for old, new in row["replace"]:
            assert old in text, f"{row['name']}: the base program has no {old!r}"
            text = text.replace(old, _pieces(new), 1)
    else:
        text, starts = _fill({k: _pieces(row[k]) for k in SLOTS if k in row})
    verdict = []
    for finding in row["verdict"]:
        code, place = finding.split()
        match = re.fullmatch(r"([hfrb]?)(\d+)", place)
        assert match, f"{row['name']}: {finding!r} is no finding"
        slot = next((s for s in SLOTS if s[0] == match[1]), None)
        verdict.append((code, int(match[2]) + (starts[slot] - 1 if slot else 0)))
    return Case(f"{group}: {row['name']}", text, tuple(verdict))


def _pieces(value: Any) -> str:
    if isinstance(value, str):
        return value
    parts = []
    for piece in value:
        if isinstance(piece, str):
            parts.append(piece)
            continue
        for i in range(1, piece["times"] + 1):
            parts.append(piece["repeat"].replace("{i}", str(i)).replace("{j}", str(i - 1)))
    return "".join(parts)


def _fill(slots: dict[str, str]) -> tuple[str, dict[str, int]]:
    """The base program with its slots filled, and the line on which each slot starts."""
    lines: list[str] = []
    starts = dict.fromkeys(SLOTS, 0)
    for line in (FOLDER / "base.txt").read_text(encoding="ascii").splitlines():
        slot = line.strip().removeprefix("# slot: ")
        if slot not in SLOTS or not line.strip().startswith("# slot: "):
            lines.append(line)
            continue
        starts[slot] = len(lines) + 1
        if slot in slots:
            content = textwrap.indent(slots[slot].rstrip("\n"), INDENT[slot])
            lines.extend(content.split("\n"))
    return "\n".join(lines) + "\n", starts
