"""Searches for the shortest solution."""

from players import bfs, cell, moved

SOLVED = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def win(s):
    def push(tiles, move):
        gap = tiles.index(0)
        row, col = moved((gap // 3, gap % 3), move)
        if not (0 <= row < 3 and 0 <= col < 3):
            return None
        board = list(tiles)
        board[gap], board[3 * row + col] = board[3 * row + col], 0
        return tuple(board)

    assert s.tiles[cell(s.gap)] == 0
    return bfs(tuple(s.tiles.ravel().tolist()), push, lambda tiles: tiles == SOLVED)


def lose(s):
    return "STAY"
