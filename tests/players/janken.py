"""Beats what the other showed last; the loser always shows the same hand."""


def win(s, seat):
    return {"r": "UP", "p": "RIGHT", "s": "LEFT"}[str(s.shown[1 - seat])]


def lose(s, seat):
    return "STAY"
