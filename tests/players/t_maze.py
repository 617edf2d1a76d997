"""Remembers the sign; the loser turns the other way."""

import numpy as np

from players import goto


def turn(s, row):
    goal = np.zeros(s.board.shape, bool)
    goal[row, 11] = True
    return goto(s.agent, np.isin(s.board, list(".@")), goal)


def win(s):
    return turn(s, s.prize[0])


def lose(s):
    return turn(s, 6 - s.prize[0])
