"""Waits beside a chair while the music plays; the losers do not move."""

import numpy as np

from players import goto


def win(s, seat):
    chairs = np.pad(s.board == "h", 1)
    beside = chairs[:-2, 1:-1] | chairs[2:, 1:-1] | chairs[1:-1, :-2] | chairs[1:-1, 2:]
    free = s.board == "."
    goal = s.board == "f" if (s.board == "f").any() else beside & free
    return goto(s.pos[seat], free, goal)


def lose(s, seat):
    return "STAY"
