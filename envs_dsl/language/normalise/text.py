"""Rewrites of a text that need no tree: encodings, fences, prose, and what Python cannot read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from envs_dsl.language.diagnostics import Diagnostic, Diagnostics
from envs_dsl.language.normalise.edits import Text
from envs_dsl.language.parse import MAX_LINE, PLAIN, read

__all__ = ["REPAIRS", "TEXT_REWRITES"]

_FENCE = re.compile(r"^\s*(```|~~~)")
_CODE = re.compile(
    r'^("""|\'\'\'|#|@|import |from |game\s*=|class \w+.*:|def \w+\(.*:|[A-Z][A-Z0-9_]* *=)'
)
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\u00ad\f\v\0"), "")


def line_ends(text: Text) -> Text:
    """CRLF and CR line ends, and a byte-order mark and other invisible characters."""
    if any("\r" in line[:-1] for line in text.lines):  # CR alone
        fresh = Text.of(text.text.replace("\r\n", "\n").replace("\r", "\n"))
        text = fresh.with_line(0, fresh.lines[0], "line ends made plain")
    text = text.mapped(lambda line: line.removesuffix("\r"), "line ends made plain")
    return text.mapped(lambda line: line.translate(_INVISIBLE), "invisible characters dropped")


def ascii_only(text: Text) -> Text:
    """Typographic quotes, dashes and signs, and accents."""
    return text.mapped(
        lambda line: line if line.isascii() else "".join(map(_plain, line)),
        "characters replaced by plain ASCII",
    )


def _plain(char: str) -> str:
    if char.isascii():
        return char
    if char in PLAIN:
        return PLAIN[char]
    if char.isspace():
        return " "
    return unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode() or "?"


def fences(text: Text) -> Text:
    """The fenced block with the program, without the fences and what stands around them."""
    marks = [i for i, line in enumerate(text.lines) if _FENCE.match(line)]
    if not marks:
        return text
    ends = [*marks[1:], len(text.lines)]
    blocks = list(zip(marks, ends))[::2]

    def worth(block: tuple[int, int]) -> tuple[bool, int]:
        lines = text.lines[block[0] + 1 : block[1]]
        return any("Game(" in line for line in lines), len(lines)

    first, end = max(blocks, key=worth)
    if not worth((first, end))[0]:
        return text
    return text.kept(first + 1, end, "code fences and the text around them dropped")


def prose(text: Text) -> Text:
    """Sentences before and after a program that cannot be read with them."""
    if not any("Game(" in line for line in text.lines) or _readable(text):
        return text
    first = next((i for i, line in enumerate(text.lines) if _CODE.match(line)), 0)
    end = len(text.lines)
    while end > first + 1 and not _belongs(text.lines[end - 1]):
        end -= 1
    first = first if "".join(text.lines[:first]).strip() else 0
    end = end if "".join(text.lines[end:]).strip() else len(text.lines)
    return text.kept(first, end, "the text around the program dropped")


def _belongs(line: str) -> bool:
    """Whether a line may be the last one of a program: indented, or code."""
    return line.startswith((" ", "\t", ")", "]", "}")) or bool(_CODE.match(line))


def _readable(text: Text) -> bool:
    return read(text.text, Diagnostics()) is not None


def tabs(text: Text) -> Text:
    """Indentation by tabs."""

    def spaced(line: str) -> str:
        body = line.lstrip(" \t")
        return line[: len(line) - len(body)].expandtabs(4) + body

    return text.mapped(spaced, "tabs replaced by spaces")


def long_comments(text: Text) -> Text:
    """Comments and docstring lines that are too long, broken into several."""
    for i in range(len(text.lines) - 1, -1, -1):
        line = text.lines[i]
        if len(line) <= MAX_LINE:
            continue
        body = line.lstrip()
        head = line[: len(line) - len(body)] + ("# " if body.startswith("#") else "")
        # code behind a docstring would come to stand on a line of its own, as another statement
        marks = body.count('"')
        quoted = body.startswith('"""') and (marks == 3 or (marks == 6 and body.endswith('"""')))
        if not body.startswith("#") and not quoted:
            continue
        words, rows = (body.lstrip("# ") if body.startswith("#") else body).split(), [head]
        for word in words:
            if len(rows[-1]) + len(word) >= MAX_LINE - 10 and rows[-1].strip(" #"):
                rows.append(head)
            rows[-1] += word if rows[-1] == head else f" {word}"
        text = text.with_line(i, "\n".join(rows), "a long line broken")
    return text


TEXT_REWRITES: tuple[Callable[[Text], Text], ...] = (
    line_ends,
    ascii_only,
    tabs,
    fences,
    prose,
    long_comments,
)


# --- repairs of a text that Python cannot read, each told where it stopped reading ----------------


def _at(text: Text, found: Diagnostic) -> tuple[int, str]:
    index = min(found.line, len(text.lines)) - 1
    return index, text.lines[index]


def _repair(pattern: str, new: str, what: str) -> Callable[[Text, Diagnostic], Text | None]:
    """A repair that replaces a pattern in the line where reading stopped."""
    compiled = re.compile(pattern)

    def repair(text: Text, found: Diagnostic) -> Text | None:
        if found.code != "E101":
            return None
        index, line = _at(text, found)
        if len(line) > MAX_LINE or '"' in line or "'" in line:
            return None
        mended = compiled.sub(new, line)
        return None if mended == line else text.with_line(index, mended, what)

    return repair


def colon(text: Text, found: Diagnostic) -> Text | None:
    """A missing colon at the end of a line."""
    index, line = _at(text, found)
    code = line.split("#")[0].rstrip()
    if "expected ':'" not in found.message or found.column - 1 < len(code):
        return None
    return text.with_line(index, f"{code}:", "a colon added at the end")


REPAIRS: tuple[Callable[[Text, Diagnostic], Text | None], ...] = (
    _repair(r"\belse\s+if\b", "elif", "else if written as elif"),
    _repair(r"\belseif\b", "elif", "elseif written as elif"),
    _repair(r"\s*&&\s*", " and ", "&& written as and"),
    _repair(r"\s*\|\|\s*", " or ", "|| written as or"),
    _repair(r"!(?!=)\s*", "not ", "! written as not"),
    _repair(r"^(\s*)([\w.]+)\s*\+\+\s*;?\s*$", r"\1\2 += 1", "++ written as += 1"),
    _repair(r"^(\s*)([\w.]+)\s*--\s*;?\s*$", r"\1\2 -= 1", "-- written as -= 1"),
    colon,
)
