"""Turns to where most room is left; the loser drives straight on."""

import numpy as np

from players import MOVES, cell, moved, on


def room(free, start):
    seen, queue = {start}, [start]
    while queue and len(seen) < 40:
        here = queue.pop()
        for move in MOVES:
            there = moved(here, move)
            if on(free, there) and there not in seen:
                seen.add(there)
                queue.append(there)
    return len(seen)


def win(s, seat):
    free, me = s.board == ".", cell(s.pos[seat])
    ahead = moved(s.pos[1 - seat], ("STAY", *MOVES)[s.facing[1 - seat]])
    risky = np.zeros(free.shape, bool)
    if on(free, ahead):
        risky[ahead] = True
    choices = [m for m in MOVES if on(free, moved(me, m))]
    return max(choices, key=lambda m: room(free & ~risky, moved(me, m)), default="STAY")


def lose(s, seat):
    return "STAY"
