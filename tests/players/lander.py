"""Falls fast while high, drifts over the pad, then brakes."""

import numpy as np


def win(s):
    pad = np.nonzero(s.board == "P")[1].mean() + 0.5 - 6.0
    aside, height = pad - s.pos[0], 5.0 - s.pos[1]
    sink = 0.35 if height > 4 else 0.12 if abs(aside) < 1 else 0.0
    if s.vel[1] > sink:
        return "UP"
    wanted = np.clip(0.15 * aside, -0.25, 0.25)
    if abs(wanted - s.vel[0]) > 0.04:
        return "RIGHT" if wanted > s.vel[0] else "LEFT"
    return "STAY"


def lose(s):
    return "STAY"
