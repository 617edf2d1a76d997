"""How much of the language the next line may use."""

from __future__ import annotations

import dataclasses

__all__ = ["SMALL", "WIDE", "Limits"]


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds of what a grammar of the next line offers; 0 leaves a bound to the language.

    Attributes:
      short: numbers of few digits, names of few letters, short chains of operators, no notes, no
        ``pass``, nothing behind a ``break``; parameters whose value lies between its bounds.
      brackets: in one another, where ``short``.
      depth: blocks in one another. loops: loops in one another.
      fields, params, enums, members, rows: how many there may be.
      helpers, view: whether such functions are offered. players: most seats.
    """

    short: bool = False
    brackets: int = 2
    depth: int = 0
    loops: int = 0
    fields: int = 0
    params: int = 0
    enums: int = 0
    members: int = 0
    rows: int = 0
    helpers: bool = True
    view: bool = True
    players: int = 4


WIDE = Limits()
"""Everything that the language has."""

SMALL = Limits(
    short=True,
    depth=4,
    loops=2,
    fields=8,
    params=3,
    enums=1,
    members=6,
    rows=2,
    helpers=False,
    view=False,
    players=1,
)
"""What models of up to a few billion parameters can keep in their heads."""
