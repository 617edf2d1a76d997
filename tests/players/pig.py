"""Banks a dozen or what is needed; the loser never banks."""


def win(s, seat):
    if s.turn != seat:
        return "STAY"
    return "UP" if s.pot >= 12 or s.bank[seat] + s.pot >= s.GOAL else "throw"


def lose(s, seat):
    return "throw" if s.turn == seat else "STAY"
