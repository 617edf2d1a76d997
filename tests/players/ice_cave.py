"""Searches through the places where it comes to rest; the loser slides to and fro."""

from players import bfs, cell, moved


def win(s):
    def slide(here, move):
        while s.board[moved(here, move)] != "#":
            here = moved(here, move)
        return here

    return bfs(cell(s.agent), slide, lambda at: s.board[at] == "E")


def lose(s):
    return "LEFT" if s.t % 2 else "RIGHT"
