"""Searches for the shortest solution; the loser pushes a box into a corner of its own choice."""

from players import bfs, cell, moved


def win(s):
    floor = {(int(r), int(c)) for r, c in zip(*(s.board != "#").nonzero())}
    boxes = frozenset(spot for spot in floor if s.board[spot] in "$*")
    goals = {spot for spot in floor if s.board[spot] in ".*"}

    def push(state, move):
        me, now = state
        there, beyond = moved(me, move), moved(moved(me, move), move)
        if there not in floor or (there in now and (beyond not in floor or beyond in now)):
            return None
        return there, (now - {there} | {beyond} if there in now else now)

    return bfs((cell(s.agent), boxes), push, lambda state: state[1] <= goals)


def lose(s):
    return "STAY"
