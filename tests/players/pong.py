"""Follows the ball; the loser flees from it."""


def win(s, seat):
    row = s.ball[0] + s.dy if 0 <= s.ball[0] + s.dy <= 8 else s.ball[0]
    at = s.paddle[seat][0]
    return "UP" if row < at else "DOWN" if row > at else "STAY"


def lose(s, seat):
    return "UP" if s.ball[0] > 4 else "DOWN"
