"""The short form of the reference, for prompts: at most 2,500 tokens."""

from __future__ import annotations

import re

from envs_dsl.language import vocabulary as words
from envs_dsl.language.builtins import BUILTINS, Builtin
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.reference.rules import data, filled

__all__ = ["MOST_CHARACTERS", "compact"]

MOST_CHARACTERS = 7_500
"""2,500 tokens at three characters a token: byte-pair encoders need fewer for such text."""


def compact() -> str:
    """Syntax, types, statements, every builtin with its signature, and pitfalls."""
    text = filled(data("compact.md").strip())
    return text.replace("{{words}}", _words()).replace("{{builtins}}", _builtins()) + "\n"


def _words() -> str:
    rows = (
        ("Verbs", words.VERBS),
        ("Dirs", words.DIRS),
        ("Tags", words.TAGS),
        ("Colours", words.COLORS),
        ("Skills", words.SKILLS),
    )
    return "\n".join(f"{name}: {' '.join(listed)}" for name, listed in rows)


def _builtins() -> str:
    groups: dict[str, list[str]] = {}
    for row in BUILTINS:
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
