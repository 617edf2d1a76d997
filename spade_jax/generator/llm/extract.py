"""Programs out of an answer, one or several, without thoughts, prose and fences.

What is unambiguous inside a program is mended later, by ``envs_dsl.language.normalise``.
"""

from __future__ import annotations

import re

from spade_jax.generator.llm.thoughts import without_thoughts

__all__ = ["MOST_PROGRAMS", "programs"]

MOST_CHARACTERS = 200_000
MOST_PROGRAMS = 8
MOST_PROGRAM = 24 * 1024
"""Characters of one program: twice what the language allows."""

_MOST_LINE = 200  # looked at of a line: some patterns below would take long on a hostile one

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*$")
_GAME = re.compile(r"^[ \t]*game\s*=\s*Game\b", re.MULTILINE)
_PART = re.compile(
    r"^[ \t]*(game\s*=\s*Game\b|class\s+\w+.*:|def\s+\w+\s*\(.*\).*:|[A-Z][A-Z0-9_]*\s*=)"
)
_DOCSTRING = re.compile(r"^[ \t]*[rR]?(\"\"\"|''')")
_INSIDE = re.compile(r"^([ \t]|[)\]}#@]|$)")


def programs(answer: str, finish: str = "stop") -> tuple[str, ...]:
    """The program texts in an answer, in order; none where there is nothing like one. Never raises.

    A block is like a program when it has at least one of the language's parts (``game = Game``, a
    class, a function, a constant). Blocks that are parts of one program are put together.

    Args:
      answer: what the model said; more than 200,000 characters are not looked at.
      finish: "length" when it was cut off: the last, torn line of the last program is left out.

    Returns:
      At most ``MOST_PROGRAMS`` texts of at most ``MOST_PROGRAM`` characters; they need not check.
    """
    cut = finish == "length" or len(answer) > MOST_CHARACTERS
    text = answer[:MOST_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n")
    text = without_thoughts(text)
    blocks, closed = _blocks(text)
    if not blocks:
        blocks, closed = [_bare(text)], False
    if cut and not closed and blocks:
        blocks[-1] = blocks[-1].rpartition("\n")[0]
    found = [part for block in _joined(blocks) for part in _split(block)]
    kept = [part.strip("\n") + "\n" for part in found if _like(part)]
    whole = [part for part in kept if _GAME.search(part)] or kept
    return tuple(part[:MOST_PROGRAM] for part in dict.fromkeys(whole))[:MOST_PROGRAMS]


def _like(text: str) -> bool:
    return any(_is_part(line) for line in text.split("\n"))


def _is_part(line: str) -> bool:
    return _PART.match(line[:_MOST_LINE]) is not None


def _blocks(text: str) -> tuple[list[str], bool]:
    """What stands between fences, and whether the last fence was closed."""
    blocks: list[str] = []
    fence, lines = "", list[str]()
    for line in text.split("\n"):
        mark = _FENCE.match(line[:_MOST_LINE])
        if not fence and mark:
            fence, lines = mark[1], []
        elif fence and mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence):
            blocks.append("\n".join(lines))
            fence = ""
            if mark[2]:  # the one before was never closed
                fence, lines = mark[1], []
        elif fence:
            lines.append(line)
    if fence:
        blocks.append("\n".join(lines))
    return [b for b in blocks if _like(b)], not fence


def _bare(text: str) -> str:
    """The lines of a program in a text without fences: from its first part to its last."""
    lines = text.split("\n")
    parts = [i for i, line in enumerate(lines) if _is_part(line)]
    if not parts:
        return ""
    first, last = parts[0], parts[-1]
    above = first
    while above > 0 and not lines[above - 1].strip():
        above -= 1
    start = _docstring_above(lines, above)
    while last + 1 < len(lines) and _INSIDE.match(lines[last + 1]):
        last += 1
    return "\n".join(lines[start : last + 1])


def _docstring_above(lines: list[str], end: int) -> int:
    """Where the docstring begins whose last line is ``end - 1``; ``end`` where there is none."""
    if end == 0:
        return end
    if _DOCSTRING.match(lines[end - 1]) and len(re.findall(r"\"\"\"|'''", lines[end - 1])) >= 2:
        return end - 1
    if not re.search(r"(\"\"\"|''')\s*$", lines[end - 1]):
        return end
    for start in range(end - 2, max(-1, end - 12), -1):
        if _DOCSTRING.match(lines[start]):
            return start
    return end


def _joined(blocks: list[str]) -> list[str]:
    """Blocks of one program put together: those without a ``Game`` follow the one that has it."""
    found: list[list[str]] = []
    whole = False  # the last one has a step already
    for block in blocks:
        if found and not _GAME.search(block) and not whole:
            found[-1].append(block)
        else:
            found.append([block])
            whole = False
        whole = whole or _has_step(block)  # each is looked at once: an answer may have thousands
    return ["\n\n".join(parts) for parts in found]


def _has_step(text: str) -> bool:
    return re.search(r"^[ \t]*def\s+step\b", text, re.MULTILINE) is not None


def _split(block: str) -> list[str]:
    """The programs in one block: each has its own ``game = Game``."""
    lines = block.split("\n")
    starts = [i for i, line in enumerate(lines) if _GAME.match(line)]
    cuts = [0]
    for start in starts[1:]:
        above = start
        while above > 0 and not lines[above - 1].strip():
            above -= 1
        cuts.append(_docstring_above(lines, above))
    return ["\n".join(lines[a:b]) for a, b in zip(cuts, [*cuts[1:], len(lines)], strict=True)]
