"""The short form of the reference, for prompts: at most 2,500 tokens."""

from __future__ import annotations

import re
from collections.abc import Collection

from envs_dsl.language import vocabulary as words
from envs_dsl.language.builtins import BUILTINS, Builtin
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.reference.rules import data, filled

__all__ = ["MOST_CHARACTERS", "compact"]

MOST_CHARACTERS = 7_500
"""2,500 tokens at three characters a token: byte-pair encoders need fewer for such text."""


def compact(*, builtins: Collection[str] | None = None, example: bool = True) -> str:
    """Syntax, types, statements, every builtin with its signature, and pitfalls.

    Args:
      builtins: only these, and the notes on them; for a prompt that has no room for all.
      example: with a program; it may be left out where others are shown.
    """
    text = filled(data("compact.md").strip())
    if not example:
        text = re.sub(r"```python\n.*?```\n\n", "", text, count=1, flags=re.DOTALL)
    names = {row.name for row in BUILTINS} if builtins is None else set(builtins)
    text = re.sub(r"(?m)^(Notes: )(.*)$", lambda m: m[1] + _notes(m[2], names), text)
    return text.replace("{{words}}", _words()).replace("{{builtins}}", _builtins(names)) + "\n"


def _notes(text: str, names: Collection[str]) -> str:
    """The notes that begin with one of ``names``, or with no builtin at all."""
    kept = []
    for note in re.split(r"(?<=[.;]) (?=\w)", text):
        start = re.match(r"\w+(?:(?:, | and )\w+)*", note)
        about = set(re.findall(r"\w+", start[0])) if start else set()
        about &= {row.name for row in BUILTINS}
        if not about or about & set(names):
            kept.append(note)
    return " ".join(kept)


def _words() -> str:
    rows = (
        ("Verbs", words.VERBS),
        ("Dirs", words.DIRS),
        ("Tags", words.TAGS),
        ("Colours", words.COLORS),
        ("Skills", words.SKILLS),
    )
    return "\n".join(f"{name}: {' '.join(listed)}" for name, listed in rows)


def _builtins(names: Collection[str]) -> str:
    groups: dict[str, list[str]] = {}
    for row in BUILTINS:
        if row.name not in names:
            continue
        groups.setdefault(row.group, []).append(_signature(row))
    return "\n".join(f"{group}: {'; '.join(listed)}" for group, listed in groups.items())


_SPECIAL = {
    "spawn": "ok = spawn(s.table, column=value, ...)",
    "kill": "kill(row)",
    "disc": "disc(Vec2, radius, colour or seat)",
    "ring": "ring(Vec2, radius, colour or seat)",
    "bar": "bar(Vec2, Vec2, colour or seat)",
}
"""Forms that a signature cannot say."""


def _signature(row: Builtin) -> str:
    """``manhattan(Pos, Pos) Int``: what it takes and gives, in each form that differs."""
    if row.name in _SPECIAL:
        return _SPECIAL[row.name]
    general = [s for s in row.signatures if re.search(r"\bT\b", s)]
    forms = []
    for signature in general or row.signatures:
        params, _, result = (_short(part.strip()) for part in signature.partition("->"))
        more = ", ..." if row.variadic else ""
        called = "" if row.name in NAMES_AS_CALLS else f"({params}{more})"
        forms.append(f"{row.name}{'+' if row.lift else ''}{called} {result}".strip())
    return " | ".join(forms)


def _short(pattern: str) -> str:
    return re.sub(r"Grid\((\w+)\)", r"G(\1)", pattern).replace("Const", "k")
