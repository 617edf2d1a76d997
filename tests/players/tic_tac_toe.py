"""Wins if it can, blocks if it must, else takes the middle or a corner; the loser goes in order."""

from itertools import product

from players import bfs, cell, moved

CELLS = list(product(range(3), range(3)))
ORDER = [(1, 1), (0, 0), (0, 2), (2, 0), (2, 2), (0, 1), (1, 0), (1, 2), (2, 1)]
LINES = [
    *[[(r, c) for c in range(3)] for r in range(3)],
    *[[(r, c) for r in range(3)] for c in range(3)],
    [(k, k) for k in range(3)],
    [(k, 2 - k) for k in range(3)],
]


def put(s, seat, at):
    if s.turn != seat:
        return "STAY"
    walk = bfs(
        cell(s.cursor), lambda p, m: moved(p, m) if moved(p, m) in CELLS else None, at.__eq__
    )
    return [*walk, "use"] if cell(s.cursor) != at else "use"


def win(s, seat):
    free = [at for at in ORDER if s.board[at] == "."]
    for mark in "xo" if seat == 0 else "ox":
        for at in free:
            lines = [[p for p in line if p != at] for line in LINES if at in line]
            if any(all(s.board[p] == mark for p in line) for line in lines):
                return put(s, seat, at)
    return put(s, seat, free[0])


def lose(s, seat):
    return put(s, seat, next(at for at in reversed(ORDER) if s.board[at] == "."))
