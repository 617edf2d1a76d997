"""Typed holes: the small places of a program that a model may fill.

A model of a few hundred million parameters rarely writes a whole program that makes sense, and
often one number, condition or rule that does (Evolution through Large Models, 2206.08896; GAVEL,
2407.09388). ``holes`` lists such places of a program, ``shape`` describes one for a back end that
can see to the form of the answer, and ``fill`` puts an answer in. What comes out is a text like any
other: it is checked by whoever asked.
"""

from __future__ import annotations

import ast
import dataclasses
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.parse import child_nodes, read
from envs_dsl.program import Program
from spade_jax.generator.llm.thoughts import without_thoughts

__all__ = ["Hole", "HoleKind", "end_of", "fill", "hole_of", "holes", "merged", "shape"]

HoleKind = Literal["constant", "guard", "rule", "entity"]

MOST_FILLED = 4000
"""Characters of an answer that are looked at: a third of the longest program."""


@dataclasses.dataclass(frozen=True)
class Hole:
    """One place of a program, as offsets into its source.

    Attributes:
      kind: "constant" (a number), "guard" (the condition of an ``if``), "rule" (statements of
        ``step``) or "entity" (a thing of a new kind: declarations, lines of reset and of step).
      start, end: what the answer takes the place of; equal where it is put in between.
      old: what stands there now, "" where nothing does.
      line: 1-based, for people and prompts.
      depth: blocks around it; the lines of a rule begin with four spaces for each.
      about: one line for a prompt: what the place is.
      wanted: one line for a prompt: what may be put there.
      low, high: bounds of a number that has some, else None.
      whole: the number must be a whole one.
    """

    kind: HoleKind
    start: int
    end: int
    old: str
    line: int
    depth: int
    about: str
    wanted: str
    low: float | None = None
    high: float | None = None
    whole: bool = False


def shape(program: Program, hole: Hole) -> dict[str, Any]:
    """The hole as JSON values for ``Request.shape``: all that a grammar for it is made from."""
    return {"hole": {"source": program.source, **dataclasses.asdict(hole)}}


def hole_of(shape: Mapping[str, Any]) -> tuple[str, Hole]:
    """(source of the program, hole) out of a ``Request.shape``.

    Raises:
      ValueError: it describes no hole.
    """
    try:
        values = dict(shape["hole"])
        source = str(values.pop("source"))
        return source, Hole(**values)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no description of a hole: {error}") from None


def holes(program: Program) -> tuple[Hole, ...]:
    """All holes of a program: constants, then guards, then rules, then the one entity."""
    text = _Text(program.source)
    if text.module is None:
        return ()
    return (*_constants(text), *_guards(text), *_rules(text), *_entity(text))


def fill(program: Program, hole: Hole, text: str) -> str:
    """The program's source with ``text`` in the hole; it may fail the checker.

    Thoughts before the text, code fences around it and its common indentation do not matter.

    Raises:
      ValueError: the text cannot stand there whatever it says; one line says why.
    """
    answer = _bare(without_thoughts(text)[:MOST_FILLED])
    if not answer.strip():
        raise ValueError("the answer is empty")
    source = program.source
    match hole.kind:
        case "constant":
            new = _number(answer, hole)
        case "guard":
            new = _one_expression(answer)
        case "rule":
            lines = textwrap.indent(answer.strip("\n"), "    " * hole.depth)
            new = lines if hole.old else f"{lines}\n"
            if not hole.old and source[: hole.start] and not source[: hole.start].endswith("\n"):
                new = f"\n{new}"
        case _:
            return merged(source, answer)
    return source[: hole.start] + new + source[hole.end :]


# --- the places -----------------------------------------------------------------------------------


class _Text:
    """A source with its syntax tree and the offset at which each line begins."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.module = read(source, Diagnostics())
        self.lines = source.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def span(self, node: Any) -> tuple[int, int]:
        # programs are ASCII: columns are characters
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def part(self, node: Any) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def functions(self, *names: str) -> list[ast.FunctionDef]:
        assert self.module is not None
        return [n for n in self.module.body if isinstance(n, ast.FunctionDef) and n.name in names]


def _constants(text: _Text) -> Iterator[Hole]:
    assert text.module is not None
    for node in text.module.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="Param"), args=[value, low, high]),
            ):
                bounds = [_plain(low), _plain(high)]
                whole = all(isinstance(n, int) for n in (*bounds, _plain(value)))
                if None in bounds:
                    continue
                about = f"the value of {name}, from {text.part(low)} to {text.part(high)}"
                yield _constant(text, value, about, bounds[0], bounds[1], whole)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _plain(value) is not None:
                whole = isinstance(_plain(value), int)
                yield _constant(text, value, f"the constant {name}", None, None, whole)
    for function in text.functions("reset", "step"):
        for found in _numbers(function):
            whole = isinstance(found.value, int)
            about = f"the number {text.part(found)} in: {text.lines[found.lineno - 1].strip()}"
            yield _constant(text, found, about, None, None, whole)


def _constant(
    text: _Text, node: Any, about: str, low: float | None, high: float | None, whole: bool
) -> Hole:
    start, end = text.span(node)
    wanted = "a whole number" if whole else "a number"
    if low is not None and high is not None:
        wanted += f" from {low:g} to {high:g}"
    old = text.source[start:end]
    return Hole("constant", start, end, old, node.lineno, 0, about, wanted, low, high, whole)


def _numbers(function: ast.FunctionDef) -> Iterator[ast.Constant]:
    """Numbers that are written in a function, in reading order."""
    found, stack = [], [*function.body]  # type: list[ast.Constant], list[ast.AST]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            found.append(node)
        stack.extend(child_nodes(node))
    yield from sorted(found, key=lambda n: (n.lineno, n.col_offset))


def _guards(text: _Text) -> Iterator[Hole]:
    for function in text.functions("reset", "step"):
        for node, depth in _ifs(function.body, 1):
            start, end = text.span(node.test)
            body = text.lines[node.body[0].lineno - 1].strip()
            yield Hole(
                "guard",
                start,
                end,
                text.source[start:end],
                node.test.lineno,
                depth,
                f"the condition in {function.name} under which this happens: {body}",
                "one Bool expression",
            )


def _ifs(body: list[ast.stmt], depth: int) -> Iterator[tuple[ast.If, int]]:
    for node in body:
        if isinstance(node, ast.If):
            yield node, depth
            yield from _ifs(node.body, depth + 1)
            alone = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            yield from _ifs(node.orelse, depth if alone else depth + 1)
        elif isinstance(node, ast.For):
            yield from _ifs(node.body, depth + 1)


def _rules(text: _Text) -> Iterator[Hole]:
    for step in text.functions("step"):
        for node in step.body:
            if isinstance(node, ast.If | ast.For):
                start = text.starts[node.lineno - 1]
                end = text.starts[(node.end_lineno or node.lineno)] - 1
                old = text.source[start:end]
                about = f"the rule of step that begins: {text.lines[node.lineno - 1].strip()}"
                yield Hole("rule", start, end, old, node.lineno, 1, about, _RULE)
        last = step.end_lineno or step.lineno
        at = min(text.starts[last], len(text.source))
        yield Hole("rule", at, at, "", last + 1, 1, "a new rule at the end of step", _RULE)


_RULE = "one to six lines that may stand in step"


def _entity(text: _Text) -> Iterator[Hole]:
    if text.functions("reset") and (step := text.functions("step")):
        seats = ", ".join(argument.arg for argument in step[0].args.args)
        wanted = (
            "what is new, under the head that it belongs to: class Name(Row), class State, "
            f"def reset(s), def step({seats})"
        )
        about = "one more thing in the game: its declaration, where it starts, what it does"
        yield Hole("entity", 0, 0, "", 1, 0, about, wanted)


def _plain(node: ast.AST | None) -> int | float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _plain(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]
    return None


# --- the answers ----------------------------------------------------------------------------------


def _bare(text: str) -> str:
    """The text without a code fence around it and without common indentation."""
    lines = text.replace("\r\n", "\n").split("\n")
    fences = [i for i, line in enumerate(lines) if line.lstrip().startswith("```")]
    if fences:
        last = fences[1] if len(fences) > 1 else len(lines)
        lines = lines[fences[0] + 1 : last]
    while lines and not lines[0].strip():
        lines.pop(0)
    return textwrap.dedent("\n".join(lines).rstrip())


def _number(answer: str, hole: Hole) -> str:
    written = answer.strip()
    value = _plain(_expression(written))
    if value is None:
        raise ValueError(f"{written[:40]!r} is not a number")
    if hole.whole and not isinstance(value, int):
        raise ValueError(f"{written[:40]} is not a whole number")
    if hole.low is not None and hole.high is not None and not hole.low <= value <= hole.high:
        raise ValueError(f"{written[:40]} is not from {hole.low:g} to {hole.high:g}")
    return written


def _one_expression(answer: str) -> str:
    written = answer.strip()
    for word in ("elif ", "if "):
        if written.startswith(word):
            written = written[len(word) :].rstrip().removesuffix(":")
            break
    written = written.strip()
    if "\n" in written:
        raise ValueError("a condition is one line")
    if _expression(written) is None:
        raise ValueError(f"{written[:40]!r} is not an expression")
    return written


def _expression(text: str) -> ast.expr | None:
    """The one expression that a text is, else None."""
    module = read(text, Diagnostics())
    match module.body if module else []:
        case [ast.Expr(value=value)]:
            return value
    return None


def merged(source: str, answer: str) -> str:
    """The source with what each head of the answer holds put under the same head of the source.

    Lines of a class or function that is there go to its end; a class or function that is not there
    goes above ``State`` or ``reset``, and an assignment below the last one.
    """
    old, new = _Text(source), _Text(answer)
    if old.module is None or new.module is None:
        raise ValueError("the answer is not Python: declarations and functions are needed")
    heads = {n.name: n for n in old.module.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    assigned = [n for n in old.module.body if isinstance(n, ast.Assign)]
    added: dict[int, list[str]] = {}
    """Line after which → lines."""
    for node in new.module.body:
        lines = new.lines[node.lineno - 1 : node.end_lineno]
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) if name in heads:
                body = new.lines[node.body[0].lineno - 1 : node.end_lineno]
                if node.body[0].lineno == node.lineno:
                    raise ValueError(f"the body of {name} must stand on lines of its own")
                inner = textwrap.indent(textwrap.dedent("\n".join(body)), "    ")
                added.setdefault(heads[name].end_lineno or 0, []).append(inner)
            case ast.ClassDef() if "State" in heads:
                added.setdefault(heads["State"].lineno - 1, []).extend(["", *lines, ""])
            case ast.FunctionDef() if "reset" in heads:
                added.setdefault(heads["reset"].lineno - 1, []).extend(["", *lines, ""])
            case ast.Assign() if assigned:
                added.setdefault(assigned[-1].end_lineno or 0, []).extend(lines)
            case _:
                raise ValueError(f"this has no place in a program: {lines[0].strip()[:60]}")
    merged: list[str] = []
    for number, line in enumerate(["", *old.lines]):
        merged += [line] if number else []
        merged += added.get(number, [])
    return "\n".join(merged)


def end_of(source: str, function: str) -> int:
    """The 1-based number of the last line of a function, that of the text where there is none."""
    text = _Text(source)
    found = text.functions(function) if text.module is not None else []
    return (found[-1].end_lineno or 0) if found else len(text.lines)
