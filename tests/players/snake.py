"""Takes the shortest way to the food that is free right now, else any free cell."""

from players import MOVES, goto, moved, on


def win(s):
    free = s.ages <= 1
    move = goto(s.head, free, s.board == "f")
    if move == "STAY":
        move = next((m for m in MOVES if on(free, moved(s.head, m))), "UP")
    return move


def lose(s):
    return "UP"
