"""A text under repair: its lines and where they came from, edits by position, notices."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from envs_dsl.language.builtins import TABLE
from envs_dsl.language.parse import MAX_LINE

__all__ = ["Edit", "Normalised", "Notice", "Rewrite", "Source", "Text", "draws"]


class Notice(NamedTuple):
    """What was mended: the line of the original text, 1-based, and what was done."""

    line: int
    what: str


class Normalised(NamedTuple):
    """The mended text, and what was done; the text as it was where there is no notice."""

    text: str
    notices: tuple[Notice, ...]


class Edit(NamedTuple):
    """Replace ``text[start:end]`` by ``new``, for the reason ``what``."""

    start: int
    end: int
    new: str
    what: str


@dataclasses.dataclass(frozen=True)
class Text:
    """Lines, the original line (1-based) of each, and the notices so far."""

    lines: tuple[str, ...]
    origins: tuple[int, ...]
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, text: str) -> Text:
        lines = tuple(text.split("\n"))
        return cls(lines, tuple(range(1, len(lines) + 1)))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def mapped(self, change: Callable[[str], str], what: str) -> Text:
        """Every line changed by a function that gives one line; a notice at the first change."""
        lines = tuple(change(line) for line in self.lines)
        changed = [i for i, (old, new) in enumerate(zip(self.lines, lines)) if old != new]
        if not changed:
            return self
        notice = Notice(self.origins[changed[0]], what)
        return Text(lines, self.origins, (*self.notices, notice))

    def kept(self, first: int, end: int, what: str) -> Text:
        """Lines ``first`` to ``end - 1`` alone."""
        if first == 0 and end == len(self.lines):
            return self
        line = 1 if first else self.origins[min(end, len(self.lines) - 1)]
        notices = (*self.notices, Notice(line, what))
        return Text(self.lines[first:end], self.origins[first:end], notices)

    def with_line(self, index: int, new: str, what: str) -> Text:
        """One line replaced (by several, where ``new`` has line breaks)."""
        parts = tuple(new.split("\n"))
        origins = (self.origins[index],) * len(parts)
        return Text(
            (*self.lines[:index], *parts, *self.lines[index + 1 :]),
            (*self.origins[:index], *origins, *self.origins[index + 1 :]),
            (*self.notices, Notice(self.origins[index], what)),
        )

    def edited(self, edits: Iterable[Edit]) -> Text:
        """All edits that overlap no smaller one and make no line too long."""
        accepted: list[Edit] = []
        for edit in sorted(edits, key=lambda e: (e.end - e.start, e.start)):
            if all(edit.end <= other.start or other.end <= edit.start for other in accepted):
                accepted.append(edit)
        text, lines, origins = self.text, list(self.lines), list(self.origins)
        notices = list(self.notices)
        for edit in sorted(accepted, reverse=True):  # from the end, so that positions stay
            first, last = text.count("\n", 0, edit.start), text.count("\n", 0, edit.end)
            before = lines[first][: edit.start - (text.rfind("\n", 0, edit.start) + 1)]
            after = lines[last][edit.end - (text.rfind("\n", 0, edit.end) + 1) :]
            parts = (before + edit.new + after).split("\n")
            if any(len(part) > MAX_LINE for part in parts):
                continue  # better a fault that can be read than a line that cannot
            replaced = text[edit.start : edit.end]
            told = first + replaced[: len(replaced) - len(replaced.lstrip())].count("\n")
            notice = Notice(origins[told], edit.what)
            if notice not in notices:
                notices.append(notice)
            gone = not edit.new and not before.strip()  # what follows moves up
            lines[first : last + 1] = parts
            origins[first : last + 1] = [origins[last if gone else first]] * len(parts)
            text = text[: edit.start] + edit.new + text[edit.end :]
        return Text(tuple(lines), tuple(origins), tuple(notices))


@dataclasses.dataclass(frozen=True)
class Source:
    """A parsed text: positions as offsets, parents, and what is declared.

    Attributes:
      nodes: every node, outermost first. parents: ``id(node)`` → its parent.
      names: everything that is declared or assigned to anywhere. helpers: functions but the three.
      grids: names of the fields that are grids.
    """

    text: str
    starts: tuple[int, ...]
    nodes: tuple[ast.AST, ...]
    parents: dict[int, ast.AST]
    names: frozenset[str]
    helpers: frozenset[str]
    grids: frozenset[str]

    @classmethod
    def of(cls, text: str, module: ast.Module) -> Source:
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        nodes: list[ast.AST] = [module]
        parents: dict[int, ast.AST] = {}
        names, helpers, grids = set(), set(), set()
        for node in nodes:  # grows while it is walked
            for child in ast.iter_child_nodes(node):
                parents[id(child)] = node
                nodes.append(child)
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.arg(arg=name):
                    names.add(name)
                case ast.FunctionDef(name=name):
                    names.add(name)
                    if name not in ("reset", "step", "view"):
                        helpers.add(name)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    if "Grid(" in ast.unparse(annotation):
                        grids.add(name)
        return cls(
            text,
            tuple(starts),
            tuple(nodes),
            parents,
            frozenset(names),
            frozenset(helpers),
            frozenset(grids),
        )

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self.parents.get(id(node))

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        """The function around a node."""
        found = self.parent(node)
        while found is not None and not isinstance(found, ast.FunctionDef):
            found = self.parent(found)
        return found

    def start(self, node: Any) -> int:
        return self.starts[node.lineno - 1] + int(node.col_offset)

    def end(self, node: Any) -> int:
        return self.starts[node.end_lineno - 1] + int(node.end_col_offset)

    def of_node(self, node: ast.AST) -> str:
        """The text of a node, on one line, in parentheses where it is an operation."""
        text = self.text[self.start(node) : self.end(node)]
        if "\n" in text:
            text = " ".join(re.sub(r"#[^\n]*", "", text).split())
        plain = ast.Name | ast.Constant | ast.Attribute | ast.Subscript | ast.Call
        return text if isinstance(node, plain) else f"({text})"

    def replace(self, node: ast.AST, new: str, what: str) -> Edit:
        return Edit(self.start(node), self.end(node), new, what)

    def bracket(self, node: ast.expr, text: str) -> str:
        """``text`` in place of ``node``: in parentheses where it stands in an operation."""
        inside = self.parent(node)
        loose = ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp | ast.Attribute
        if isinstance(inside, loose) and not self._in_parentheses(node):
            return f"({text})"
        return text

    def _in_parentheses(self, node: ast.expr) -> bool:
        before = self.text[: self.start(node)].rstrip()
        after = self.text[self.end(node) :].lstrip()
        opened = before.endswith("(") and not (before[:-1].rstrip()[-1:] or " ").isidentifier()
        return opened and after.startswith(")")

    def without_line(self, node: ast.stmt, what: str) -> Edit:
        """The lines of a statement dropped; ``pass`` where its block would be empty."""
        inside = self.parent(node)
        start, end = self.start(node), self.end(node)
        alone = any(
            block == [node]
            for name in ("body", "orelse")
            if isinstance(block := getattr(inside, name, None), list)
        )
        if alone and not isinstance(inside, ast.Module):
            return Edit(start, end, "pass", what)
        line = self.text.rfind("\n", 0, start) + 1
        if not self.text[end:].strip() and not self.text[line:start].strip():
            return Edit(len(self.text[:line].rstrip()), end, "", what)
        rest = self.text.find("\n", end)
        rest = len(self.text) if rest < 0 else rest
        if self.text[line:start].strip() or self.text[end:rest].split("#")[0].strip():
            return Edit(start, end, "pass", what)  # it shares its line with something else
        return Edit(line, min(rest + 1, len(self.text)), "", what)


Rewrite = tuple[type[ast.AST] | tuple[type[ast.AST], ...], Callable[[Any, Source], Edit | None]]
"""The kinds of nodes that a rewrite looks at, and the rewrite."""


def draws(node: ast.AST) -> bool:
    """Whether an expression may draw random numbers: then it must not be written twice."""
    return any(
        isinstance(n, ast.Call)
        and not (isinstance(n.func, ast.Name) and n.func.id in TABLE and not TABLE[n.func.id].draws)
        for n in ast.walk(node)
    )
