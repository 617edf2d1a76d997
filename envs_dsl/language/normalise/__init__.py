"""Mends what is unambiguous in a program text, before it is checked: ``normalise``.

A language model writes Python that is nearly the language: numpy prefixes, ``self``, ``&`` on
truth values, code fences. Each such habit is one small function here, and each mend is told in a
notice. ``check`` never normalises; a generator does, and so does ``fmt --fix``.

A program without errors comes back as it is. Nothing is executed, nothing raises, and time and
memory are bounded by the caps of ``parse``.
"""

from __future__ import annotations

from envs_dsl.language.check import analyse
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.normalise import calls, form, operators, places
from envs_dsl.language.normalise.edits import Edit, Normalised, Notice, Rewrite, Source, Text
from envs_dsl.language.normalise.text import REPAIRS, TEXT_REWRITES
from envs_dsl.language.parse import MAX_BYTES, read

__all__ = ["MOST_CHARACTERS", "Normalised", "Notice", "normalise"]

MOST_CHARACTERS = 8 * MAX_BYTES
"""A program with a chapter of prose around it; longer texts come back as they are."""

MOST_ROUNDS = 64
"""A round mends what is innermost; more would need a text that is nested too deeply anyway."""

TREE_REWRITES: tuple[Rewrite, ...] = (
    *form.REWRITES,
    *calls.REWRITES,
    *operators.REWRITES,
    *places.REWRITES,
)


def normalise(text: str) -> Normalised:
    """The text with all that is unambiguous mended, and what was done. Idempotent; never raises."""
    if len(text) > MOST_CHARACTERS or analyse(text).ok:
        return Normalised(text, ())
    current = Text.of(text)
    for rewrite in TEXT_REWRITES:
        current = rewrite(current)
    for _ in range(MOST_ROUNDS):
        following = _round(current)
        if following is None or following.text == current.text:
            break
        current = following
    notices = tuple(sorted(current.notices, key=lambda notice: notice.line))
    return Normalised(current.text if notices else text, notices)


def _round(current: Text) -> Text | None:
    """One mend of a text that cannot be parsed, or one layer of those of a tree; None: no more."""
    out = Diagnostics()
    module = read(current.text, out)
    if module is None:
        mended = (repair(current, out.result()[0]) for repair in REPAIRS)
        return next((text for text in mended if text is not None), None)
    source = Source.of(current.text, module)
    edits: list[Edit] = []
    for node in source.nodes:
        for kinds, rewrite in TREE_REWRITES:
            if isinstance(node, kinds):
                found = rewrite(node, source)
                if found is not None:
                    edits.append(found)
    return current.edited(edits) if edits else None
