"""What may be written next, line by line, for each shape of answer that is asked for.

A script holds the text so far. ``step`` gives the grammar of the next piece (a line, or the whole
answer where that is one piece) and whether the model may end here instead; ``offer`` takes a
finished piece or refuses it; ``wants_end`` tells it that the model would rather stop.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from envs_dsl.language.grammar import (
    SMALL,
    Debt,
    Limits,
    SoFar,
    condition,
    debts,
    entity_row,
    entity_table,
    grammar,
    literally,
    next_line,
    paying,
    read_so_far,
)
from envs_dsl.language.parse import MAX_BYTES, MAX_LINE
from envs_dsl.language.types import POS
from envs_dsl.program import check
from spade_jax.generator.llm.holes import Hole, end_of, hole_of, merged

__all__ = ["Piece", "Script", "script_for"]


MOST_JSON = 20_000


@dataclasses.dataclass(frozen=True)
class Piece:
    """What may come next.

    Attributes:
      grammar: Lark text of the next piece; "" where nothing may come.
      may_end: the model may stop here instead.
      json: ``grammar`` is a JSON schema.
      longest: characters after which a piece that is not whole yet is refused.
    """

    grammar: str
    may_end: bool = False
    json: bool = False
    longest: int = MAX_LINE


class Script(Protocol):
    """The state of one answer that is being written."""

    @property
    def text(self) -> str:
        """The answer so far."""
        ...

    def step(self) -> Piece: ...

    def offer(self, piece: str) -> bool:
        """Take a finished piece; False refuses it, and another one is to be written."""
        ...

    def wants_end(self) -> None:
        """The model drew the end where it may stop."""
        ...

    @property
    def reserve(self) -> int:
        """About how many tokens it takes to come to an end from here."""
        ...

    def stuck(self) -> bool:
        """Too many pieces were refused: True where the script offers something else now."""
        ...


def script_for(shape: Mapping[str, Any], *, names: bool = True) -> Script | None:
    """The script of a ``Request.shape``; None for free text.

    Args:
      names: hold a program to the names that it declares; else to the form of a program alone.

    Raises:
      ValueError: a hole without a place.
    """
    if "program" in shape:
        return ProgramScript() if names else OneScript(Piece(grammar(), longest=MAX_BYTES))
    if "json" in shape:
        return OneScript(Piece(json.dumps(shape["json"]), json=True, longest=MOST_JSON))
    if "hole" in shape:
        source, hole = hole_of(shape)
        return _hole_script(source, hole)
    return None


class OneScript:
    """An answer that is one piece: a number, a condition, a JSON value."""

    def __init__(
        self,
        piece: Piece,
        fits: Callable[[str], bool] | None = None,
        instead: Piece | None = None,
    ) -> None:
        """``fits``: whether a whole answer will do; one that will not is refused.

        ``instead`` is offered when two tries have been refused.
        """
        self.piece = piece
        self.instead = instead
        self.fits = fits
        self.text = ""
        self.refused = 0
        self.reserve = 0

    def step(self) -> Piece:
        return Piece("", may_end=True) if self.text else self.piece

    def offer(self, piece: str) -> bool:
        answer = piece.rstrip("\n").removesuffix(":").strip()
        if _changes_nothing(answer) or (self.fits is not None and not self.fits(answer)):
            return False
        self.text = answer
        return True

    def wants_end(self) -> None:
        pass

    def stuck(self) -> bool:
        self.refused += 1
        if self.instead is not None and self.refused > 1:
            self.piece = self.instead
        return self.refused < 4 * MOST_REFUSED


def _hole_script(source: str, hole: Hole) -> Script:
    match hole.kind:
        case "constant":
            return OneScript(Piece(_number(hole)), _fits(source, hole))
        case "guard":
            known = read_so_far(_above(source, hole))
            simple = dataclasses.replace(SMALL, brackets=1)
            test = Piece(condition(known, hole.depth, simple), longest=A_CONDITION)
            # what stood there may be the only use of something
            joined = condition(known, hole.depth, simple, besides=hole.old)
            both = Piece(joined, longest=len(hole.old) + A_CONDITION)
            return OneScript(test, _fits(source, hole), both)
        case "rule":
            return LinesScript(source[: hole.start], hole.depth)
    return EntityScript(source)


def _fits(source: str, hole: Hole) -> Callable[[str], bool]:
    """Whether the program still checks with an answer in the hole, and is another one."""

    def fits(answer: str) -> bool:
        whole = source[: hole.start] + answer + source[hole.end :]
        return answer != hole.old and check(whole).ok

    return fits


def _above(source: str, hole: Hole) -> str:
    """The finished lines above a condition, whose brackets may have begun on an earlier line."""
    lines = source[: hole.start].split("\n")
    indent = "    " * hole.depth
    while len(lines) > 1 and not lines[-1].startswith((f"{indent}if", f"{indent}elif")):
        lines.pop()
    return "".join(f"{line}\n" for line in lines[:-1])


def _number(hole: Hole) -> str:
    """A number within bounds: whole ones are listed where they are few."""
    low, high = hole.low, hole.high
    if hole.whole and low is not None and high is not None and high - low < 200:
        listed = " | ".join(f'"{v}"' for v in range(int(low), int(high) + 1))
        return f'start: ({listed}) "\\n"\n'
    sign = '"-"? ' if low is None or low < 0 else ""
    if hole.whole:
        return f'start: {sign}/[1-9]?[0-9]/ "\\n"\n'
    return f'start: {sign}/[0-9]{{1,2}}\\.[0-9]{{1,2}}/ "\\n"\n'


# --- lines ----------------------------------------------------------------------------------------

A_CONDITION = 56
"""Characters of a condition that a small model means; longer ones go round in circles."""

A_LINE = 40
"""Tokens of a line, with those of its refused forms; 12 is usual."""

MOST_REFUSED = 6
"""Pieces refused in a row before the script offers less."""

_MAY_REPEAT = re.compile(r"\s*(else:|win\(|lose\(|draw\(|break|continue|reward\()")


class _Lines:
    """What scripts of several lines share: the text before, and no line twice in a function."""

    def __init__(self, before: str, limits: Limits) -> None:
        self.before = before
        self.limits = limits
        self.lines: list[str] = []
        self.known = read_so_far(before)

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def _take(self, line: str) -> bool:
        """Read the text again with the line; False where that brings a fault or repeats a line."""
        if _repeats(line, self._function_lines()) or _changes_nothing(line):
            return False
        try:
            known = read_so_far(self.before + self.text + line)
        except ValueError:
            return False
        if set(_told(known)) - set(_told(self.known)):
            return False
        self.known = known
        self.lines.append(line)
        return True

    def _function_lines(self) -> list[str]:
        """Lines of the open function or class."""
        whole = (self.before + self.text).split("\n")
        at = max((i for i, line in enumerate(whole) if line[:1] not in ("", " ")), default=0)
        return whole[at + 1 :]


def _told(known: SoFar) -> list[str]:
    return [f"{d.code} {d.message}" for d in known.faults]


_WITH_ITSELF = re.compile(r"(?<![\w.\[])([\w.\[\]]+) (==|!=|<=|>=|<|>|-) \1(?![\w.\[])")


def _changes_nothing(line: str) -> bool:
    """``x = x``, or something that is compared with itself."""
    target, sign, value = line.partition(" = ")
    same = bool(sign) and target.strip() == value.strip()
    return same or bool(_WITH_ITSELF.search(line))


def _repeats(line: str, others: list[str]) -> bool:
    written = [other for other in others if other.strip()]
    if written and line.rstrip("\n") == written[-1]:
        return True
    return line.rstrip("\n") in written and not _MAY_REPEAT.match(line)


class LinesScript(_Lines):
    """A few statements at one place of a function."""

    def __init__(self, before: str, depth: int, most: int = 6) -> None:
        super().__init__(before, dataclasses.replace(SMALL, depth=min(depth + 2, 6)))
        self.depth = depth
        self.most = most
        self.ended = False
        self.refused = 0
        self.reserve = 2 * A_LINE
        self.first: Debt | None = None
        """What the first line is for, where that is said."""

    def step(self) -> Piece:
        if self.first is not None and not self.lines:
            return Piece(paying(self.known, self.first, self.limits))
        whole = bool(self.lines) and not self.known.opened
        if self.ended or (whole and len(self.lines) >= self.most):
            return Piece("", may_end=True)
        limits = self.limits
        if len(self.lines) >= self.most - 1 or self.refused >= MOST_REFUSED:
            # no more blocks: the lines that are left only close what is open
            limits = dataclasses.replace(limits, depth=max(self.known.spots[0].depth, 1))
        depths = tuple(s.depth for s in self.known.spots if s.depth >= self.depth)
        return Piece(next_line(self.known, limits, depths), may_end=whole)

    def offer(self, piece: str) -> bool:
        taken = self._take(piece)
        self.refused = 0 if taken else self.refused + 1
        return taken

    def wants_end(self) -> None:
        self.ended = True

    def stuck(self) -> bool:
        return self.refused < 2 * MOST_REFUSED


class ProgramScript(_Lines):
    """A whole program: declarations, ``reset``, ``step``, and then what is still owed.

    Args:
      reset, step: lines of these functions after which they come to an end.
    """

    def __init__(self, limits: Limits = SMALL, reset: int = 10, step: int = 24) -> None:
        super().__init__("", limits)
        self.most = {"reset": reset, "step": step}
        self.settling = False
        self.done = False
        self.refused = 0

    def step(self) -> Piece:
        if self.done:
            return Piece("", may_end=True)
        if self.known.section != "function":
            limits = self._hurried() if self.settling else self._limits()
            return Piece(next_line(self.known, limits))
        lines = len([line for line in self._function_lines() if line.strip()])
        if self.known.name == "reset" and not self.known.opened:
            full = self.settling or lines >= self.most["reset"] or self.refused >= MOST_REFUSED
            if full and lines:
                return Piece(next_line(self.known, self.limits, (0,)))
            return Piece(next_line(self.known, self.limits))
        if self.known.name == "step":
            if self.known.empty and (moves := _moves(self.known)):
                return Piece(moves)
            if lines >= self.most["step"] or self.refused >= MOST_REFUSED:
                self.settling = True
            if self.settling:
                return self._settle()
        depths = tuple(s.depth for s in self.known.spots)
        return Piece(next_line(self.known, self._limits(), depths), may_end=not self.known.opened)

    @property
    def reserve(self) -> int:
        if self.known.section != "function":
            return 10 * A_LINE
        unwritten = 4 if self.known.name == "reset" else 1
        return (unwritten + len(debts(self.known))) * A_LINE

    def _hurried(self) -> Limits:
        """What is left of the declarations when there is little room."""
        declared = self.known.declared
        return dataclasses.replace(
            self.limits,
            params=max(len(declared.params), 1),
            rows=max(len(declared.rows), 1),
            members=3,
            fields=1,
        )

    def _limits(self) -> Limits:
        if self.refused < MOST_REFUSED:
            return self.limits
        return dataclasses.replace(self.limits, depth=max(1, len(self.known.spots)))

    def _settle(self) -> Piece:
        """What is owed, one line after the other; then the end."""
        owed = debts(self.known)
        deepest = self.known.spots[0].depth
        if self.known.opened:
            if Debt("win") in owed and deepest > 1 and len(owed) == 1:
                return Piece(paying(self.known, Debt("win"), self.limits))
            flat = dataclasses.replace(self.limits, depth=deepest)
            return Piece(next_line(self.known, flat, (deepest,)))
        for debt in owed:
            grammar = paying(self.known, debt, self.limits)
            if grammar:
                return Piece(grammar)
        self.done = True
        return Piece("", may_end=True)

    def offer(self, piece: str) -> bool:
        taken = self._take(piece)
        self.refused = 0 if taken else self.refused + 1
        return taken

    def wants_end(self) -> None:
        self.settling = True

    def stuck(self) -> bool:
        return self.refused < 3 * MOST_REFUSED

    @property
    def complete(self) -> bool:
        """Whether the text passes the checker."""
        return check(self.text).ok


def _moves(known: SoFar) -> str:
    """The first line of a small program's step: the player does what it is told."""
    fields = [f.name for f in known.declared.fields.values() if f.type == POS and not f.hidden]
    lines = " | ".join(f'"    s.{name} = try_move(s.{name}, act.move)"' for name in fields)
    return f'start: ({lines}) "\\n"\n' if lines else ""


class EntityScript:
    """One more thing in a program, under the heads that its parts belong to (``holes.fill``).

    A row with a place, a table of it, a line of ``reset`` that spawns one, and a loop of ``step``
    that says what it does.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.text = ""
        self.parts = [self._row, self._table, self._reset_head, self._spawn, self._step_head]
        self.names: tuple[str, str] = ("", "")
        self.rule: LinesScript | None = None
        self.refused = 0
        self.reserve = 2 * A_LINE

    def step(self) -> Piece:
        if self.rule is not None:
            return self.rule.step()
        return self.parts[0]()

    def offer(self, piece: str) -> bool:
        if self.rule is not None:
            taken = self.rule.offer(piece)
        else:
            taken = self._fits(self.text + piece)
            self.refused = 0 if taken else self.refused + 1
        if not taken:
            return False
        self.text += piece
        if self.rule is None:
            self.parts.pop(0)
            if not self.parts:
                self.rule = LinesScript(self._until("step"), 1, most=7)
                self.rule.first = Debt("read", self._field())
        return True

    def wants_end(self) -> None:
        if self.rule is not None:
            self.rule.wants_end()

    def stuck(self) -> bool:
        return self.refused < MOST_REFUSED and (self.rule is None or self.rule.stuck())

    # --- parts ------------------------------------------------------------------------------------

    def _row(self) -> Piece:
        return Piece(entity_row(read_so_far(self.source)))

    def _table(self) -> Piece:
        row = re.findall(r"class (\w+)\(Row\)", self.text)[0]
        return Piece(entity_table(read_so_far(self.source), row))

    def _reset_head(self) -> Piece:
        return Piece(literally("\ndef reset(s):\n"))

    def _spawn(self) -> Piece:
        known = read_so_far(self._until("reset"))
        return Piece(paying(known, Debt("write", self._field()), SMALL))

    def _step_head(self) -> Piece:
        head = re.search(r"^def step\([^)]*\):", self.source, re.MULTILINE)
        return Piece(literally(f"\n{head[0] if head else 'def step(s, act):'}\n"))

    def _field(self) -> str:
        return re.findall(r"class State:\n    (\w+):", self.text)[0]

    def _until(self, function: str) -> str:
        """The program with the answer so far in it, up to the end of a function."""
        text = re.sub(r"\ndef \w+\([^)]*\):\n$", "", self.text)
        whole = merged(self.source, text)
        end = end_of(whole, function)
        return "".join(f"{line}\n" for line in whole.split("\n")[:end])

    def _fits(self, answer: str) -> bool:
        if answer.endswith(":\n"):
            return True
        try:
            known = read_so_far(merged(self.source, answer).rstrip("\n") + "\n")
        except ValueError:
            return False
        return not known.faults
