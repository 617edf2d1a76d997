"""Goes for the nearest gem, never under a boulder that may fall."""

import numpy as np

from players import MOVES, cell, goto, moved, on


def win(s):
    under = np.zeros(s.board.shape, bool)
    under[1:] = (s.board == "o")[:-1]
    falling = np.zeros(s.board.shape, bool)
    falling[1:] |= s.falling[:-1]
    falling[2:] |= s.falling[:-2]
    open_ = np.isin(s.board, list(".,g"))
    safe = open_ & ~falling & ~(under & (s.board == "."))
    move = goto(s.agent, safe, (s.board == "g") & ~falling)
    if move == "STAY":
        move = goto(s.agent, open_ & ~falling, (s.board == "g") & ~falling)
    here = cell(s.agent)
    if move == "STAY" and on(falling, here):
        return next((m for m in MOVES if on(safe, moved(here, m))), "STAY")
    return move


def lose(s):
    """Digs its way under a boulder, steps down, and waits for it."""
    under = np.zeros(s.board.shape, bool)
    open_ = np.isin(s.board, list(".,g"))
    under[1:-1] = (s.board == "o")[:-2] & open_[2:]
    if s.board[s.agent[0] - 1, s.agent[1]] == "o" or s.falling.any():
        below = moved(s.agent, "DOWN")
        return "DOWN" if s.board[below] in ".,g" and not s.falling.any() else "STAY"
    return goto(s.agent, open_, under & (s.board != "#") & (s.board != "o"))
