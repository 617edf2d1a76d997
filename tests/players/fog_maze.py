"""Walks to the exit where it is in sight, else to the nearest passage beside the dark."""

import numpy as np

from players import goto


def win(s):
    dark = np.pad(s.board == "?", 1)
    beside = dark[:-2, 1:-1] | dark[2:, 1:-1] | dark[1:-1, :-2] | dark[1:-1, 2:]
    free = s.board == "."
    move = goto(s.agent, free, s.board == "E")
    return move if move != "STAY" else goto(s.agent, free, free & beside)


def lose(s):
    return "STAY"
