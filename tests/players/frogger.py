"""Knows the timetable of every lane: plans each crossing through space and time."""

from players import bfs, cell, moved


def win(s):
    def ride(state, move):
        (row, col), t = state
        there = moved((row, col), move)
        if 0 <= there[0] < 9 and 0 <= there[1] < 9 and s.board[there] != "#":
            row, col = there
        t += 1
        if 1 <= row <= 3:
            col += 1 if row % 2 == 0 else -1
        if not 0 <= col < 9:
            return None
        ahead = col + int(s.phase[row, 0]) + (-t if row % 2 == 0 else t)
        if 1 <= row <= 3 and ahead % (s.LOG + 2) >= s.LOG:
            return None
        if 5 <= row <= 7 and ahead % s.GAP == 0:
            return None
        return (row, col), t

    moves = ("UP", "LEFT", "RIGHT", "STAY", "DOWN")
    return bfs((cell(s.frog), s.t), ride, lambda state: state[0][0] == 0, moves)


def lose(s):
    return "UP" if s.frog[0] > 1 and s.board[s.frog[0] - 1, s.frog[1]] != "=" else "STAY"
