"""Pours the colour that enlarges the region most; the loser pours two colours in turn."""

from itertools import product

import numpy as np

from players import goto


def region(board):
    wet = np.zeros(board.shape, bool)
    wet[0, 0] = True
    while True:
        wide = np.pad(wet, 1)
        near = wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
        more = wet | (near & (board == board[0, 0]))
        if (more == wet).all():
            return wet
        wet = more


def pour(s, colour):
    return goto(s.cursor, s.board != "", s.board == colour, otherwise="flip")


def win(s):
    def after(board, colours):
        for colour in colours:
            board = np.where(region(board), colour, board)
        return int(region(board).sum())

    left = [c for c in "rygb" if (s.board == c).any()]
    pairs = [pair for pair in product(left, repeat=2) if pair[0] != s.board[0, 0]]
    return pour(s, max(pairs, key=lambda colours: after(s.board, colours))[0])


def lose(s):
    """Each pour is undone by the next: the corner only takes what touches it."""
    here = s.board[0, 0]
    ring = region(s.board)
    others = [c for c in "rygb" if c != here and (s.board == c).any()]
    grown = {c: int(region(np.where(ring, c, s.board)).sum()) for c in others}
    return pour(s, min(grown, key=grown.get))
