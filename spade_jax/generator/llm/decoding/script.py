"""What a script is: the state of one answer that is written piece by piece.

``step`` gives the grammar of the next piece (a line, or the whole answer where that is one piece)
and whether the model may end here instead; ``offer`` takes a finished piece or refuses it;
``wants_end`` tells it that the model would rather stop.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Protocol

from envs_dsl.language.parse import MAX_LINE

__all__ = ["MOST_REFUSED", "OneScript", "Piece", "Script", "changes_nothing"]

MOST_REFUSED = 6
"""Pieces refused in a row before a script offers less."""


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
        if changes_nothing(answer) or (self.fits is not None and not self.fits(answer)):
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


_WITH_ITSELF = re.compile(r"(?<![\w.\[])([\w.\[\]]+) (==|!=|<=|>=|<|>|-) \1(?![\w.\[])")


def changes_nothing(line: str) -> bool:
    """``x = x``, or something that is compared with itself."""
    target, sign, value = line.partition(" = ")
    same = bool(sign) and target.strip() == value.strip()
    return same or bool(_WITH_ITSELF.search(line))
