"""Examples of findings as data: a wrong program, what is said of it and where, a right one.

The codes' own examples (``codes.yaml``) are shown in the reference; the tests hold many more in the
same form. An example is a mapping:

- ``name``: what is wrong (optional).
- ``in``: the slot of the base program (``base.txt``) that ``wrong`` fills: top, state, helper,
  reset or step. Or ``replaces``: the text of the base that ``wrong`` replaces. With neither,
  ``wrong`` is a whole program.
- ``also``: pairs (old, new), replaced in the base for the wrong and the right program alike.
- ``wrong``: the text, with a ``¦`` in front of each place that is reported, in source order. Or
  ``at``: the text at whose first appearance the one finding stands (for places outside ``wrong``).
- ``code``, ``message``, ``hint`` of the one finding, or ``findings``: a list of such mappings.
- ``right``: what should have been written; the whole program is then accepted without a word.
"""

from __future__ import annotations

import dataclasses
import functools
import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from envs_dsl.language.diagnostics import Diagnostic
from envs_dsl.reference.rules import data

__all__ = ["MARK", "Code", "Example", "codes", "program", "read_example"]

MARK = "¦"

_SLOTS = {"top": "", "state": "    ", "helper": "", "reset": "    ", "step": "    "}


@dataclasses.dataclass(frozen=True)
class Example:
    """One example.

    Attributes:
      name: what is wrong, or the first message.
      wrong: the snippet as it is shown. right: likewise, "" where there is none.
      text: the whole wrong program. right_text: the whole right program, or None.
      expected: everything that must be reported of ``text``, in order.
    """

    name: str
    wrong: str
    right: str
    text: str
    right_text: str | None
    expected: tuple[Diagnostic, ...]


@dataclasses.dataclass(frozen=True)
class Code:
    """What a code means, at length, with its example."""

    code: str
    means: str
    example: Example


@functools.cache
def codes() -> tuple[Code, ...]:
    """Every code with its meaning and example, in order."""
    return tuple(
        Code(code, entry["means"], read_example({"code": code, **entry}))
        for code, entry in yaml.safe_load(data("codes.yaml")).items()
    )


def read_example(entry: Mapping[str, Any]) -> Example:
    """One example from its mapping.

    Raises:
      ValueError: a text to replace is not in the base program, or marks and findings do not match.
    """
    marked = program(entry, entry["wrong"])
    findings = entry.get("findings") or [entry]
    text, places = _places(marked)
    if "at" in entry:
        places = [_place(text, text.index(entry["at"]))]
    if len(places) != len(findings):
        raise ValueError(f"{len(places)} places and {len(findings)} findings: {entry['wrong']!r}")
    expected = tuple(
        Diagnostic(f["code"], *place, f["message"], f.get("hint", ""))
        for f, place in zip(findings, places, strict=True)
    )
    right = entry.get("right", "")
    return Example(
        name=entry.get("name") or expected[0].message,
        wrong=entry["wrong"].replace(MARK, "").rstrip("\n"),
        right=right.rstrip("\n"),
        text=text,
        right_text=program(entry, right) if right else None,
        expected=expected,
    )


def program(entry: Mapping[str, Any], snippet: str) -> str:
    """The snippet at its place in the base program (see the form of examples)."""
    slot = entry.get("in")
    if slot is None and "replaces" not in entry:
        return snippet
    base, filled = data("base.txt"), snippet.rstrip("\n")
    for name in _SLOTS:
        if name != slot:
            base = base.replace(f"{{{name}}}\n", "")
    replaced = [(entry["replaces"].rstrip("\n"), filled)] if "replaces" in entry else []
    for old, new in (*replaced, *entry.get("also", ())):
        if old not in base:
            raise ValueError(f"not in the base program: {old!r}")
        base = base.replace(old, new, 1)
    return base if slot is None else base.replace(f"{{{slot}}}", _indented(filled, slot))


def _indented(snippet: str, slot: str) -> str:
    return textwrap.indent(snippet, _SLOTS[slot])


def _places(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without marks, and where they stood."""
    places, text = [], marked
    while MARK in text:
        index = text.index(MARK)
        text = text[:index] + text[index + 1 :]
        places.append(_place(text, index))
    return text, places


def _place(text: str, index: int) -> tuple[int, int]:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)
