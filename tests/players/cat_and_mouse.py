"""The cat runs after the mouse, the mouse to the cheese past the cat; the loser sits still."""

import numpy as np

from players import cell, goto


def win(s, seat):
    free = s.board != "#"
    cat, mouse = np.zeros(free.shape, bool), s.board == "c"
    if seat == 0:
        cat[cell(s.pos[1])] = True
        return goto(s.pos[0], free, cat)
    rows, cols = np.indices(free.shape)
    cat = abs(rows - s.pos[0][0]) + abs(cols - s.pos[0][1]) <= 1
    return goto(s.pos[1], free & ~cat, mouse & ~cat)


def lose(s, seat):
    return "STAY"
