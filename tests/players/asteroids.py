"""Stays where it is, turns to the nearest rock and shoots; the loser flies blindly on."""

from math import atan2, pi

import numpy as np


def win(s):
    rocks = s.rocks["alive"]
    heading = s.rocks["heading"][rocks]
    ahead = 3 * s.SPEED * np.stack([np.cos(heading), np.sin(heading)], 1)
    aim = (s.rocks["pos"][rocks] + ahead - s.ship + 6) % 12 - 6
    nearest = aim[np.argmin((aim**2).sum(1))]
    off = (atan2(nearest[1], nearest[0]) - s.angle + pi) % (2 * pi) - pi
    if abs(off) > 0.15:
        return "RIGHT" if off > 0 else "LEFT"
    return "throw" if not s.shots["alive"].all() else "STAY"


def lose(s):
    return "UP"
