"""Looks for a swap that lines up three."""

import numpy as np

from players import MOVES, goto, moved, on


def lined(board):
    return any(
        line[i] == line[i + 1] == line[i + 2]
        for line in (*board, *board.T)
        for i in range(len(line) - 2)
    )


def win(s):
    for start in np.ndindex(s.board.shape):
        for move in MOVES:
            other, board = moved(start, move), s.board.copy()
            if on(board != ".", other):
                board[start], board[other] = board[other], board[start]
                if lined(board):
                    goal = np.zeros(board.shape, bool)
                    goal[start] = True
                    step = goto(s.cursor, board != ".", goal, otherwise="take")
                    return ["take", move] if step == "take" else step
    return "STAY"


def lose(s):
    """Swaps of equal gems line up nothing new and are taken back."""
    return "take"
