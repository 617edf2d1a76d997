"""Text → Python syntax tree, guarded: nothing here executes, and nothing hostile gets through.

``ast.parse`` itself must be protected (deep nesting can exhaust its stack, look-alike letters fold
into ASCII names), so the text is scanned first. Then only listed node types may appear.
"""

from __future__ import annotations

import ast
import re
import threading
import unicodedata  # Python loads it at the first "\N{...}": not at a program's bidding
import warnings

from envs_dsl.language.allowed import Child, report_foreign
from envs_dsl.language.diagnostics import Diagnostics

__all__ = [
    "MAX_BLOCKS",
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_LINE",
    "PLAIN",
    "child_nodes",
    "parse",
    "parse_python",
    "read",
]

MAX_BYTES = 12 * 1024
MAX_LINE = 120
MAX_BRACKETS = 16
MAX_DEPTH = 48
MAX_BLOCKS = 10
"""Blocks in one another: the body of a function is the first."""
_PARSING = threading.Lock()
_PARSE_TRIES = 5
_NO_FILE = "/dev/null/program"
"""Python looks up the faulty line of a syntax error in the file that it is said to be in. This one
cannot exist; the default name is relative, and could be a pipe that never answers."""


def parse(text: str, out: Diagnostics) -> ast.Module | None:
    """Parse ``text``; None after a finding that makes the rest meaningless (E100, E101, E103)."""
    found = _read(text, out)
    if found is None:
        return None
    report_foreign(found[1], out)
    return found[0]


def read(text: str, out: Diagnostics) -> ast.Module | None:
    """As ``parse``, but any construct of Python may stand in the text."""
    found = _read(text, out)
    return None if found is None else found[0]


def _read(text: str, out: Diagnostics) -> tuple[ast.Module, list[Child]] | None:
    """The tree, and its nodes with their parents, parents first."""
    if not _prescan(text, out):
        return None
    try:
        module = parse_python(text)
    except SyntaxError as error:
        place = (error.lineno or 1, error.offset or 1)
        out.add("E101", place, f"syntax error: {error.msg}", _syntax_hint(error, text))
        return None
    except (ValueError, RecursionError, MemoryError):
        out.add("E100", (1, 1), "the text cannot be parsed", "write shorter, flatter expressions")
        return None
    nodes = _shallow(module, out)
    if nodes is None or not _flat(module.body, 0, out):
        return None
    return module, nodes


def parse_python(text: str) -> ast.Module:
    """``ast.parse``, from one thread at a time.

    CPython 3.11 keeps the depth of its tree constructor in one place for all threads, and raises
    SystemError when two of them parse at once (python/cpython#106905). Libraries that parse
    without this lock can still get in between, so such a fault is tried again.
    """
    tries = _PARSE_TRIES
    while True:
        tries -= 1
        with _PARSING, warnings.catch_warnings():
            # Python's own opinions of the text are nobody's business.
            warnings.simplefilter("ignore")
            try:
                return ast.parse(text, _NO_FILE)
            except SystemError:
                if not tries:
                    raise


def _prescan(text: str, out: Diagnostics) -> bool:
    if len(text) > MAX_BYTES:
        what = f"the program has {len(text)} characters; {MAX_BYTES} are allowed"
        out.add("E100", (1, 1), what, "say it with fewer rules and comments")
        return False
    depth = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_LINE:
            out.add(
                "E100",
                (number, MAX_LINE + 1),
                f"the line has {len(line)} characters; {MAX_LINE} are allowed",
                "break it: text anywhere, code inside brackets; or keep a part in a local",
            )
            return False
        for found in _LOOKED_AT.finditer(line):
            char, place = found[0], (number, found.start() + 1)
            if char not in "()[]{}":
                out.add("E100", place, *_odd_character(char))
                return False
            depth += 1 if char in "([{" else -1
            if depth > MAX_BRACKETS:
                what = f"brackets nested more than {MAX_BRACKETS} deep"
                out.add("E100", place, what, "keep parts in locals")
                return False
    return True


_LOOKED_AT = re.compile(r"[^ -~\t]|[()\[\]{}]")
"""Brackets, and what is no plain character."""


PLAIN = {
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("‘’‚´", "'"),
    **dict.fromkeys("−–—", "-"),
    **dict.fromkeys("×·", "*"),
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "→": "->",
    "…": "...",
}


def _odd_character(char: str) -> tuple[str, str]:
    """Message and hint for a character that is not plain ASCII."""
    name = unicodedata.name(char, "").lower()
    plain = PLAIN.get(char) or unicodedata.normalize("NFKC", char)
    message = f"character U+{ord(char):04X}{f' ({name})' if name else ''} is not allowed"
    if char == "\r":
        return message, "end lines with a line feed alone"
    if plain.isascii() and plain.isprintable() and plain.strip():
        return message, f"write {plain}"
    return message, "use plain ASCII"


def _syntax_hint(error: SyntaxError, text: str) -> str:
    """What to do about Python's complaint."""
    message, lines = error.msg, text.split("\n")
    number = error.lineno or 0
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    if line.startswith("```"):
        return "give the program alone, without ``` around it"
    for words, hint in _SYNTAX_HINTS:
        if words in message:
            return hint
    code = line.partition("#")[0].rstrip()
    if code.endswith(("++", "--")):
        return f"write {code[-2]}= 1"
    for sign, word in (("&&", "and"), ("||", "or"), ("!", "not")):
        if sign in code.replace("!=", ""):
            return f"write {word} for {sign}"
    return "the language has Python's syntax"


_SYNTAX_HINTS = (
    ("expected ':'", "end the line with a colon"),
    ("was never closed", "close the bracket"),
    ("unmatched", "remove the bracket, or open it before"),
    ("does not match opening", "close brackets in the order in which they were opened"),
    ("expected an indented block", "indent the block by 4 spaces, or write pass"),
    ("unexpected indent", "indent as the line above"),
    ("unindent does not match", "indent by 4 spaces a level"),
    ("inconsistent use of tabs", "indent with spaces alone"),
    ("'==' or ':='", "compare with =="),
    ("instead of '='", "compare with =="),
    ("unterminated string", "close the quotes on the same line"),
    ("unterminated triple-quoted", "close the quotes"),
    ("forgot a comma", "put a comma between the values"),
    ("positional argument follows", "named arguments come last"),
    ("cannot assign to", "assign to a local, s.field, s.field[i] or row.column"),
    ("outside function", "return stands in a def"),
)


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """``ast.iter_child_nodes`` without the marks of loading and storing, and three times faster."""
    kind = type(node)
    names = _PARTS.get(kind)
    if names is None:
        names = _PARTS[kind] = tuple(n for n in kind._fields if n not in ("ctx", "kind"))
    found: list[ast.AST] = []
    for name in names:
        part = getattr(node, name, None)
        if isinstance(part, list):
            found += [item for item in part if isinstance(item, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


_PARTS: dict[type[ast.AST], tuple[str, ...]] = {}


_WHOLE = (ast.expr, ast.stmt)


def _shallow(module: ast.Module, out: Diagnostics) -> list[Child] | None:
    """All nodes, parents first; None where the tree is too high for later recursions."""
    nodes: list[Child] = [(module, module)]
    stack: list[tuple[ast.AST, int, ast.AST]] = [(module, 0, module)]
    while stack:
        node, depth, whole = stack.pop()
        if depth > MAX_DEPTH:
            what = f"nested more than {MAX_DEPTH} deep"
            out.add("E103", whole, what, "split it into several assignments")
            return None
        inside = isinstance(whole, ast.expr)
        for child in child_nodes(node):
            nodes.append((child, node))
            # where it is too deep says little: reported is the whole expression or statement
            keeps = inside or not isinstance(child, _WHOLE)
            stack.append((child, depth + 1, whole if keeps else child))
    return nodes


def _flat(body: list[ast.stmt], depth: int, out: Diagnostics) -> bool:
    """Bound how many blocks stand in one another (``elif`` opens none)."""
    for node in body:
        blocks = [getattr(node, "body", []), getattr(node, "orelse", [])]
        if blocks[0] and depth == MAX_BLOCKS:
            message = f"blocks nested more than {MAX_BLOCKS} deep"
            out.add("E103", node, message, "join conditions with and, or move a part to a helper")
            return False
        same = len(blocks[1]) == 1 and isinstance(blocks[1][0], ast.If)
        if not _flat(blocks[0], depth + 1, out):
            return False
        if not _flat(blocks[1], depth if same else depth + 1, out):
            return False
    return True
