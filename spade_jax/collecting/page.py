"""The requests of a folder as a page that a person can read."""

from __future__ import annotations

import re

from spade_jax.collecting.folder import Folder
from spade_jax.generator.llm.prompt import Idea

__all__ = ["readable"]

_PROGRAM = re.compile(r"```python\n.*?\n```", re.DOTALL)


def readable(folder: Folder) -> str:
    """All requests on one page: what they share is told once."""
    idea = Idea("<your idea>", "<what the player must do>")
    asked = [folder.ideas_request(i)[0].messages for i in range(folder.n)]
    written = [folder.program_request(i, idea)[0].messages for i in range(folder.n)]
    pages = [
        "# What every request for an idea says first",
        asked[0][0].content,
        "# What every request for a program says first",
        written[0][0].content,
    ]
    seen: set[str] = set()
    for i in range(folder.n):
        pages.append(f"# {folder.name(i)}")
        for messages in (asked[i], written[i]):
            for message in messages[1:]:
                pages += _fresh(message.content, seen)
    return "\n\n".join(pages) + "\n"


def _fresh(text: str, seen: set[str]) -> list[str]:
    """The sections of a message that were not shown before; programs that were, by their task."""
    sections = ("\n" + text).split("\n## ")
    fresh = [s for s in sections if s.strip() and s not in seen]
    seen.update(fresh)
    return ["## " + _PROGRAM.sub(lambda m: _once(m[0], seen), s) for s in fresh]


def _once(program: str, seen: set[str]) -> str:
    """A fenced program, or its first line where it was shown before."""
    if program in seen:
        return f"(shown above: {program.splitlines()[1]})"
    seen.add(program)
    return program
