"""Remembers every card (and those it has not seen); the loser always turns the same two."""

import numpy as np

from players import goto


def win(s):
    closed = s.faces == 0
    one = s.turned.sum() == 1
    wanted = closed & (s.cards == (s.cards[s.turned][0] if one else s.cards[closed][0]))
    if not one:
        wanted[:] = False
        wanted[np.unravel_index(np.flatnonzero(closed)[0], (4, 4))] = True
    return goto(s.cursor, s.faces >= 0, wanted, otherwise="flip")


def lose(s):
    return "flip"
