"""Fetches whichever key can be reached, opens its door, and so on to the ball."""

import numpy as np

from players import MOVES, goto, moved, on


def win(s):
    free = np.isin(s.board, list(".rbg"))
    held = [door for door, key in zip("RBG", s.keys) if key]
    doors = np.isin(s.board, held)
    if any(on(doors, moved(s.agent, move)) for move in MOVES):
        return "open"
    for wanted in (s.board == "o", np.isin(s.board, list("rbg")), doors):
        move = goto(s.agent, free, wanted)
        if move != "STAY":
            return move
    return "STAY"


def lose(s):
    """Rattles at the doors without a key."""
    return "open"
