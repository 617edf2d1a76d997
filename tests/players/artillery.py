"""Tries shots in its head and fires the one that passes closest; the loser fires at the sky."""

from math import cos, sin

import numpy as np


def miss(s, angle, power):
    """Closest distance of a shot to the target."""
    shell, speed, best = np.array(s.gun), power * np.array([cos(angle), -sin(angle)]), 99.0
    for _ in range(300):
        speed = speed + 0.5 * np.array([s.wind, 0.05])
        shell = shell + 0.5 * speed
        best = min(best, float(np.hypot(*(shell - s.target))))
        row, col = int(np.floor(shell[1] + 6)), int(np.floor(shell[0] + 10))
        inside = 0 <= row < 12 and 0 <= col < 20
        if abs(shell[0]) > 10 or row > 12 or (inside and s.board[row, col] == "#"):
            break
    return best


def win(s):
    if s.flying:
        return "STAY"
    shots = [(a, p) for a in range(-12, 13, 2) for p in range(-10, 9)]
    shots = [
        (a, p)
        for a, p in shots
        if 0.2 < s.angle + 0.05 * a < 1.4 and 0.3 < s.power + 0.05 * p < 1.2
    ]
    a, p = min(shots, key=lambda d: miss(s, s.angle + 0.05 * d[0], s.power + 0.05 * d[1]))
    angles = ["UP" if a > 0 else "DOWN"] * abs(a)
    return [*angles, *(["RIGHT" if p > 0 else "LEFT"] * abs(p)), "throw"]


def lose(s):
    return "UP" if s.angle < 1.39 else "LEFT" if s.power > 0.31 else "throw"
