"""Clears the eight cells around the cabin and waits inside; the loser walks into the fire."""

from players import goto


def win(s):
    plan = ["RIGHT", "RIGHT", "gather", "UP", "gather", "DOWN", "DOWN", "gather", "UP"]
    return plan if s.t == 0 else "STAY"


def lose(s):
    return goto(s.agent, s.board != "", s.board == "f")
