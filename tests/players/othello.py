"""Likes corners, not the cells beside them, and turns over much; the loser does the reverse."""

from itertools import product

from players import bfs, cell, moved

CELLS = list(product(range(6), range(6)))
WAYS = [way for way in product((-1, 0, 1), repeat=2) if way != (0, 0)]


def turned(board, at, own):
    found = []
    for down, right in WAYS:
        line, (r, c) = [], (at[0] + down, at[1] + right)
        while (r, c) in CELLS and board[r, c] not in (".", own):
            line.append((r, c))
            r, c = r + down, c + right
        if (r, c) in CELLS and board[r, c] == own:
            found += line
    return len(found)


def put(s, seat, worth):
    if s.turn != seat:
        return "STAY"
    options = {at: turned(s.board, at, "xo"[seat]) for at in CELLS if s.board[at] == "."}
    at = max((a for a, n in options.items() if n), key=lambda a: worth(a, options[a]))
    walk = bfs(
        cell(s.cursor), lambda p, m: moved(p, m) if moved(p, m) in CELLS else None, at.__eq__
    )
    return [*walk, "use"] if cell(s.cursor) != at else "use"


def worth(at, discs):
    edges = sum(v in (0, 5) for v in at)
    beside = sum(v in (0, 1, 4, 5) for v in at)
    return (10 if edges == 2 else -5 if beside == 2 else edges) + 0.1 * discs


def win(s, seat):
    return put(s, seat, worth)


def lose(s, seat):
    return put(s, seat, lambda at, discs: -worth(at, discs))
