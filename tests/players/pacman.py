"""Eats the nearest dot that lies away from ghosts, power dots first when they come close."""

import numpy as np

from players import MOVES, bfs, cell, moved


def win(s):
    ghosts = [cell(p) for p, alive in zip(s.ghosts["pos"], s.ghosts["alive"]) if alive]
    rows, cols = np.indices(s.board.shape)
    gap = np.min([abs(rows - r) + abs(cols - c) for r, c in ghosts], axis=0)
    danger = gap <= (0 if s.power > 4 else 2)

    def walk(here, move):
        row, col = moved(here, move)
        there = row, col % 11
        return None if s.board[there] == "#" or danger[there] else there

    path = bfs(cell(s.agent), walk, lambda at: s.board[at] in ".o")
    if path:
        return path[0]

    def safety(move):
        row, col = moved(s.agent, move)
        return -1 if s.board[row, col % 11] == "#" else gap[row, col % 11]

    return max(MOVES, key=safety)


def lose(s):
    """Looks for the nearest ghost, and leaves the power dots alone."""
    ghosts = {cell(p) for p, alive in zip(s.ghosts["pos"], s.ghosts["alive"]) if alive}

    def walk(here, move):
        row, col = moved(here, move)
        return None if s.board[row, col % 11] in "#o" else (row, col % 11)

    return (bfs(cell(s.agent), walk, ghosts.__contains__) or ["STAY"])[0]
