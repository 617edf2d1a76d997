"""Dodges what falls, else stands where an invader will be when the shot gets there."""

import numpy as np


def win(s):
    row, col = 8, int(s.ship)
    bombs = s.board[row - 2 : row, :] == "v"
    safe = [c for c in range(9) if not bombs[1, c]]
    options = {c: m for c, m in ((col, "STAY"), (col - 1, "LEFT"), (col + 1, "RIGHT")) if c in safe}
    if not options:
        return "STAY"
    fleet = np.argwhere(s.board == "w")
    low = fleet[:, 0].max()
    flight = row - 1 - low
    t, heading, cols = s.t, (1 if s.heading == 4 else -1), fleet[:, 1].copy()
    for _ in range(int(flight) + 1):
        t += 1
        if t % s.MARCH == 0:
            if (cols == (8 if heading == 1 else 0)).any():
                heading = -heading
            else:
                cols = cols + heading
    if col in options and not (s.board == "^").any() and col in cols:
        return "throw"
    target = min(cols, key=lambda c: abs(c - col))
    return options[min(options, key=lambda c: abs(c - target))]


def lose(s):
    return "STAY"
