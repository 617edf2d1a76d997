"""Two nuts a trip, and one to eat when weak; the loser runs to and fro."""

from players import cell, goto


def win(s):
    everywhere = s.board != "#"
    if s.strength < 8:
        if s.load:
            return "eat"
    elif s.load >= 2 or not (s.board == "n").any():
        return goto(s.agent, everywhere, s.board == "N")
    return "take" if s.board[cell(s.agent)] == "n" else goto(s.agent, everywhere, s.board == "n")


def lose(s):
    return "LEFT" if s.t % 2 else "RIGHT"
