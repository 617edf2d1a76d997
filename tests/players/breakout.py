"""Stays under the ball, and takes it with one end or the other; the loser keeps away from it."""


def win(s):
    ahead = s.ball[1] + s.dx
    ahead = ahead if 0 <= ahead <= 8 else s.ball[1] - s.dx
    aim = ahead + (s.t // 16 % 3 - 1 if s.ball[0] > 4 else 0)
    return "LEFT" if aim < s.paddle else "RIGHT" if aim > s.paddle else "STAY"


def lose(s):
    return "LEFT" if s.ball[1] > 4 else "RIGHT"
