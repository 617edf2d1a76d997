"""Stays under the ball."""


def win(s):
    ahead = s.ball[1] + s.dx
    ahead = ahead if 0 <= ahead <= 8 else s.ball[1] - s.dx
    return "LEFT" if ahead < s.paddle[1] else "RIGHT" if ahead > s.paddle[1] else "STAY"


def lose(s):
    return "LEFT" if s.ball[1] > 4 else "RIGHT"
