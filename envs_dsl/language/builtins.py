"""The builtin table: one row an operator or builtin, read by everybody.

The checker resolves calls with it, ``cost`` prices them, the reference and the prompt print it,
"did you mean" searches it; each back end must implement every pure ``op`` of it (a test says so).

Signatures are text, ``"Pos, Dir -> Pos"``. Pattern words: a type; ``Num`` (Int or Float; if one of
them is Float, all widen); ``T`` (any one scalar type); ``E`` (any enum); ``Const`` (an int known
before the program runs); ``Tag`` (one of the eight tag names, in quotes); ``Layout`` (the name of
one); ``Table``. A ``lift`` row
also takes grids where it takes scalars, cell by cell, and then gives a grid.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from typing import Literal

__all__ = ["BUILTINS", "OPERATORS", "TABLE", "Builtin", "nearest_name"]

Size = Literal["result", "board", "board*k", "board*span", "maze", "span", "rows"]


@dataclasses.dataclass(frozen=True, slots=True)
class Builtin:
    """One row of the table.

    Attributes:
      name: as it is written (operators have a word: "add").
      signatures: in the order in which they are tried.
      doc: one line, with units where there are any.
      weight: element-operations for each element of ``size``.
      size: what the weight is multiplied with: elements of the larger of result and arguments
        ("result"), cells of the board, cells times the last constant argument or times the rows
        of a table ("board*k"), cells times the longer side of the board ("board*span"), the square
        of the number of cells at odd rows and columns ("maze"), the longer side of the board
        ("span"), rows of the table ("rows").
      draws: number of random draws of one call.
      lift: works on grids cell by cell.
      effect: a statement, not a value.
      commutes: operand order does not matter.
      group: heading in the reference.
      variadic: the last parameter may be repeated.
    """

    name: str
    signatures: tuple[str, ...]
    doc: str
    group: str
    weight: int = 1
    size: Size = "result"
    draws: int = 0
    lift: bool = False
    effect: bool = False
    commutes: bool = False
    variadic: bool = False


def _row(name: str, signatures: str, doc: str, group: str, **options: object) -> Builtin:
    parts = tuple(s.strip() for s in signatures.split(";"))
    return Builtin(name, parts, doc, group, **options)  # type: ignore[arg-type]


OPERATORS: tuple[Builtin, ...] = (
    _row("add", "Num, Num -> Num; Vec2, Vec2 -> Vec2; Pos, Dir -> Pos",
         "sum; a position moved one cell in a direction", "operators", lift=True, commutes=True),
    _row("sub", "Num, Num -> Num; Vec2, Vec2 -> Vec2; Pos, Dir -> Pos",
         "difference; a position moved one cell against a direction", "operators", lift=True),
    _row("mul", "Num, Num -> Num; Num, Vec2 -> Vec2; Vec2, Num -> Vec2",
         "product; a vector scaled", "operators", lift=True, commutes=True),
    _row("div", "Float, Float -> Float; Vec2, Num -> Vec2",
         "quotient as a Float; 0 where the divisor is 0", "operators", lift=True),
    _row("floordiv", "Num, Num -> Num", "quotient rounded down; 0 where the divisor is 0",
         "operators", lift=True),
    _row("mod", "Num, Num -> Num", "remainder with the divisor's sign; 0 where the divisor is 0",
         "operators", lift=True),
    _row("neg", "Num -> Num; Vec2 -> Vec2", "the negative", "operators", lift=True),
    _row("eq", "Num, Num -> Bool; T, T -> Bool", "equal", "operators", lift=True, commutes=True),
    _row("ne", "Num, Num -> Bool; T, T -> Bool", "not equal", "operators", lift=True,
         commutes=True),
    _row("lt", "Num, Num -> Bool", "less than", "operators", lift=True),
    _row("le", "Num, Num -> Bool", "at most", "operators", lift=True),
    _row("gt", "Num, Num -> Bool", "more than", "operators", lift=True),
    _row("ge", "Num, Num -> Bool", "at least", "operators", lift=True),
    _row("and", "Bool, Bool -> Bool", "both (both sides are evaluated)", "operators", lift=True,
         commutes=True),
    _row("or", "Bool, Bool -> Bool", "either (both sides are evaluated)", "operators", lift=True,
         commutes=True),
    _row("not", "Bool -> Bool", "the opposite", "operators", lift=True),
    _row("if_else", "Bool, Num, Num -> Num; Bool, T, T -> T",
         "``a if test else b``; both are evaluated", "operators"),
    _row("to_float", "Int -> Float", "the widening that the checker inserts", "operators",
         lift=True),
)  # fmt: skip
"""Written with symbols or words of Python; not callable by these names."""

BUILTINS: tuple[Builtin, ...] = (
    # geometry
    _row("Pos", "Int, Int -> Pos", "the cell at (row, col); may lie off the board", "geometry"),
    _row("opposite", "Dir -> Dir", "the direction turned by 180 degrees", "geometry"),
    _row("turn_left", "Dir -> Dir", "the direction turned 90 degrees to the left", "geometry"),
    _row("turn_right", "Dir -> Dir", "the direction turned 90 degrees to the right", "geometry"),
    _row("manhattan", "Pos, Pos -> Int", "rows apart plus columns apart, in cells", "geometry"),
    _row("chebyshev", "Pos, Pos -> Int", "the larger of rows and columns apart, in cells",
         "geometry"),
    _row("inside", "Pos -> Bool", "the cell lies on the board", "geometry"),
    _row("adjacent", "Pos, Pos -> Bool", "exactly one cell apart (manhattan)", "geometry"),
    _row("toward", "Pos, Pos -> Dir",
         "the move from the first to the second along the longer gap (rows on a tie), or STAY",
         "geometry"),
    _row("away", "Pos, Pos -> Dir", "the opposite of toward", "geometry"),
    # grids
    _row("ROW", "-> Grid(Int)", "each cell's row (a name, not a call)", "grids", size="board"),
    _row("COL", "-> Grid(Int)", "each cell's column (a name, not a call)", "grids", size="board"),
    _row("BORDER", "-> Grid(Bool)", "the outermost cells (a name, not a call)", "grids",
         size="board"),
    _row("EVERYWHERE", "-> Grid(Bool)", "every cell (a name, not a call)", "grids", size="board"),
    _row("NOWHERE", "-> Grid(Bool)", "no cell (a name, not a call)", "grids", size="board"),
    _row("at", "Pos -> Grid(Bool)", "true at that one cell", "grids", size="board"),
    _row("rect", "Pos, Pos -> Grid(Bool)", "true in the rectangle of two corners, inclusive",
         "grids", size="board"),
    _row("disk", "Pos, Num -> Grid(Bool)", "true within a Euclidean radius in cells, inclusive",
         "grids", size="board"),
    _row("where", "Bool, Num, Num -> Num; Bool, T, T -> T",
         "the second where the first is true, else the third", "grids", lift=True),
    _row("shift", "Grid(T), Dir -> Grid(T)",
         "the grid moved one cell in a direction; what moves in is the type's zero", "grids",
         size="board"),
    _row("roll", "Grid(T), Dir -> Grid(T)",
         "as shift, but what leaves the board comes back on the other side", "grids", size="board"),
    _row("neighbors4", "Grid(Bool) -> Grid(Int)", "how many of the 4 neighbours are true", "grids",
         weight=4, size="board"),
    _row("neighbors8", "Grid(Bool) -> Grid(Int)", "how many of the 8 neighbours are true", "grids",
         weight=8, size="board"),
    _row("count", "Grid(Bool) -> Int", "how many cells are true", "grids", size="board"),
    _row("any", "Grid(Bool) -> Bool", "at least one cell is true", "grids", size="board"),
    _row("all", "Grid(Bool) -> Bool", "every cell is true", "grids", size="board"),
    _row("total", "Grid(Int) -> Int; Grid(Float) -> Float", "the sum over all cells", "grids",
         size="board"),
    _row("nearest", "Grid(Bool), Pos -> Pos",
         "the true cell nearest by manhattan (first in reading order on ties); Pos(-1, -1) if none",
         "grids", weight=3, size="board"),
    _row("argmax_cell", "Grid(Int) -> Pos; Grid(Float) -> Pos",
         "the cell of the largest value (first in reading order on a tie)", "grids", weight=2,
         size="board"),
    _row("flood", "Grid(Bool), Grid(Bool), Const -> Grid(Bool)",
         "cells within k moves of the first mask through cells of the second (the start counts)",
         "grids", weight=6, size="board*k"),
    _row("distance", "Grid(Bool), Grid(Bool), Const -> Grid(Int)",
         "moves from the first mask through cells of the second; k + 1 where not reached in k",
         "grids", weight=7, size="board*k"),
    _row("slide", "Pos, Dir, Grid(Bool) -> Pos",
         "moved in a direction for as long as the next cell is true in the mask", "grids", weight=4,
         size="span"),
    _row("sees", "Pos, Pos, Grid(Bool) -> Bool",
         "every cell strictly between, on the straight line, is true in the mask", "grids",
         weight=6, size="span"),
    _row("paint", "Layout -> Grid(E)", "a drawn level as a grid: NAME = Layout(...), paint(NAME)",
         "grids", size="board"),
    # levels
    _row("maze", "-> Grid(Bool)",
         "a perfect maze: true on passages, all joined, between cells at odd rows and columns",
         "levels", draws=1, weight=12, size="maze"),
    _row("rooms", "Const -> Grid(Bool)",
         "that many rooms, each joined to the one before by a corridor; the border stays false",
         "levels", draws=5, weight=16, size="board*k"),
    _row("cave", "Float -> Grid(Bool)",
         "a cave around the board's centre, from cells open with that probability; all joined",
         "levels", draws=1, weight=8, size="board*span"),
    _row("carve", "Pos, Pos -> Grid(Bool)",
         "a corridor of at most three straight parts that joins two cells, both included",
         "levels", draws=2, weight=16, size="board"),
    # tables
    _row("alive", "Row -> Bool", "the row is in use", "tables"),
    _row("occupied", "Table -> Grid(Bool)", "cells where a row of the table stands", "tables",
         weight=2, size="board*k"),
    _row("any_at", "Table, Pos -> Bool", "a row of the table stands at that cell", "tables",
         weight=2, size="rows"),
    _row("count_alive", "Table -> Int", "how many rows of the table are in use", "tables",
         size="rows"),
    _row("count_within", "Table, Pos, Int -> Int",
         "rows of the table within a chebyshev distance of a cell", "tables", weight=3,
         size="rows"),
    _row("nearest_dir", "Table, Pos -> Dir",
         "toward the nearest row of the table (lowest row on a tie); STAY if there is none",
         "tables", weight=4, size="rows"),
    _row("try_move", "Pos, Dir -> Pos",
         "moved one cell unless that cell is off the board or solid", "tables", weight=3),
    # random
    _row("rand", "-> Float", "uniform in [0, 1)", "random", draws=1, weight=8),
    _row("uniform", "Float, Float -> Float", "uniform between two bounds", "random", draws=1,
         weight=10),
    _row("normal", "-> Float; Float, Float -> Float",
         "normal with mean 0 and deviation 1, or those given", "random", draws=2, weight=20),
    _row("randint", "Int, Int -> Int", "a whole number between two bounds, both included", "random",
         draws=1, weight=10),
    _row("chance", "Float -> Bool", "true with that probability", "random", draws=1, weight=9),
    _row("random_dir", "-> Dir", "UP, DOWN, LEFT or RIGHT", "random", draws=1, weight=9),
    _row("random_cell", "Grid(Bool) -> Pos",
         "a random true cell; Pos(-1, -1) and a fault when there is none", "random", draws=1,
         weight=10, size="board"),
    _row("pick", "Num, Num -> Num; T, T -> T; Grid(T), Grid(T) -> Grid(T)",
         "one of two or more values, each as likely", "random", draws=1, weight=9, variadic=True),
    _row("chance_grid", "Float -> Grid(Bool); Grid(Float) -> Grid(Bool)",
         "each cell true with that probability, independently", "random", draws=1, weight=9,
         size="board"),
    _row("randint_grid", "Int, Int -> Grid(Int)",
         "in each cell a whole number between two bounds, both included", "random", draws=1,
         weight=10, size="board"),
    _row("pick_grid", "Num, Num -> Grid(Num); T, T -> Grid(T)",
         "in each cell one of two or more values, each as likely", "random", draws=1, weight=9,
         size="board", variadic=True),
    # math
    _row("abs", "Num -> Num", "absolute value", "math", lift=True),
    _row("min", "Num, Num -> Num", "the smallest", "math", lift=True, variadic=True,
         commutes=True),
    _row("max", "Num, Num -> Num", "the largest", "math", lift=True, variadic=True, commutes=True),
    _row("clip", "Num, Num, Num -> Num", "the first, held between the second and the third", "math",
         lift=True, weight=2),
    _row("sign", "Num -> Num", "-1, 0 or 1", "math", lift=True),
    _row("floor", "Float -> Int", "rounded down", "math", lift=True),
    _row("round", "Float -> Int", "to the nearest whole number, halves to even", "math", lift=True),
    _row("sqrt", "Float -> Float", "square root; 0 below 0", "math", lift=True, weight=4),
    _row("sin", "Float -> Float", "sine of an angle in radians", "math", lift=True, weight=8),
    _row("cos", "Float -> Float", "cosine of an angle in radians", "math", lift=True, weight=8),
    _row("exp", "Float -> Float", "e to the power", "math", lift=True, weight=8),
    _row("tanh", "Float -> Float", "hyperbolic tangent", "math", lift=True, weight=8),
    _row("lerp", "Float, Float, Float -> Float", "a + (b - a) * t", "math", lift=True, weight=3),
    # vectors
    _row("Vec2", "Float, Float -> Vec2", "the vector (x to the right, y down), in cells",
         "vectors"),
    _row("vec", "Dir -> Vec2", "the direction as a vector with parts -1, 0 and 1", "vectors"),
    _row("unit", "Float -> Vec2", "the vector of length 1 at an angle in radians", "vectors",
         weight=16),
    _row("rotate", "Vec2, Float -> Vec2", "turned by an angle in radians", "vectors", weight=20),
    _row("normalize", "Vec2 -> Vec2", "scaled to length 1; zero stays zero", "vectors", weight=8),
    _row("length", "Vec2 -> Float", "Euclidean length", "vectors", weight=6),
    _row("dot", "Vec2, Vec2 -> Float", "inner product", "vectors", weight=3),
    _row("cell", "Vec2 -> Pos", "the cell under a point (the origin is the board's centre)",
         "vectors", weight=2),
    # looks and seats
    _row("solid", "E -> Bool", "the member's look has the tag solid", "looks", lift=True),
    _row("tagged", "E, Tag -> Bool", "the member's look has that tag", "looks", lift=True),
    _row("opponent", "Int -> Int", "the other of two seats", "looks"),
    # effects
    _row("reward", "Float; Float, Int", "pay the player (or one seat); an episode pays at most 1",
         "effects", effect=True),
    _row("win", "; Int", "end the episode as won (by one seat, in a contest)", "effects",
         effect=True),
    _row("lose", "", "end the episode as lost", "effects", effect=True),
    _row("again", "", "where turns alternate: the seat on turn moves once more", "effects",
         effect=True),
    _row("draw", "", "end the episode as a draw", "effects", effect=True),
    _row("spawn", "Table", "fill the first free row: spawn(s.bats, pos=p); False when full",
         "effects", effect=True, size="rows", weight=2),
    _row("kill", "Row", "free a row", "effects", effect=True, size="rows"),
    _row("swap", "Grid(T), Pos, Pos", "exchange two cells of a grid field", "effects", effect=True,
         size="board", weight=4),
    _row("disc", "Vec2, Float", "in view: a filled circle, of a colour or a seat", "view",
         effect=True),
    _row("ring", "Vec2, Float", "in view: a circle, of a colour", "view", effect=True),
    _row("bar", "Vec2, Vec2", "in view: a thick line between two points, of a colour", "view",
         effect=True),
)  # fmt: skip

TABLE: dict[str, Builtin] = {row.name: row for row in (*OPERATORS, *BUILTINS)}


_MOST_COMPARED, _LONG = 96, 12


def nearest_name(word: str, names: object) -> str | None:
    """The most similar of ``names``, or None when nothing is close (for "did you mean").

    Of very many names only those nearest in length and first letter are compared letter by letter,
    of long ones fewer: it takes time by the square of their length.
    """
    return _nearest(word, tuple(str(n) for n in names))  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=256)  # a helper that is inlined a thousand times asks a thousand times
def _nearest(word: str, names: tuple[str, ...]) -> str | None:
    known = list(names)
    most = _MOST_COMPARED if len(word) <= _LONG else _MOST_COMPARED * _LONG**2 // len(word) ** 2 + 4
    if len(known) > most:
        known.sort(key=lambda n: (abs(len(n) - len(word)) + (n[:1] != word[:1]), n))
        del known[most:]
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return found[0] if found else _begun_alike(word.lower(), known)


def _begun_alike(word: str, known: list[str]) -> str | None:
    """A name that is the beginning of the word, or the other way round: Position, neigh."""
    shorter = [n for n in known if len(n) >= 3 and word.startswith(n.lower())]
    longer = [n for n in known if len(word) >= 3 and n.lower().startswith(word)]
    return max(shorter, key=len) if shorter else min(longer, key=len, default=None)
