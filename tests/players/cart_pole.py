"""Pushes to the side to which the pole falls, and a little towards the middle of the track."""


def win(s):
    return "RIGHT" if s.angle + 0.3 * s.spin + 0.02 * s.x + 0.06 * s.speed > 0 else "LEFT"


def lose(s):
    return "RIGHT"
