"""Runs after the other when it, and away from it otherwise; the loser just stands there."""

from players import MOVES, cell, goto, moved, on


def win(s, seat):
    me, other, free = s.pos[seat], s.pos[1 - seat], s.board == "."
    if s.it == seat:
        target = free & False
        target[cell(other)] = True
        return goto(me, free, target)
    choices = [m for m in MOVES if on(free, moved(me, m))]
    return max(choices, key=lambda m: abs(moved(me, m) - other).sum(), default="STAY")


def lose(s, seat):
    return "STAY"
