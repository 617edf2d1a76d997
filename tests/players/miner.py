"""Digs its way straight through whatever stands between it and the next thing it needs."""

from envs_dsl.language.vocabulary import DIRS
from players import bfs, cell, moved, on


def approach(s, wanted):
    """The next action on a way to a cell of ``wanted``, which ends facing it."""
    diggable = s.board == "."
    for glyph in "To" if s.pick else "T":
        diggable |= s.board == glyph

    def walk(here, move):
        there = moved(here, move)
        return there if on(diggable | wanted, there) else None

    path = bfs(cell(s.agent), walk, lambda at: bool(wanted[at]))
    if not path:
        return "STAY"
    there = moved(s.agent, path[0])
    if s.board[there] == "." or DIRS[s.facing] != path[0]:
        return path[0]
    return "gather"


def win(s):
    front = moved(s.agent, DIRS[s.facing])
    ahead = s.board[front] if on(s.board != "", front) else "#"
    bench = (s.board == "B").any()
    if not bench:
        if s.wood < s.BENCH + 2:
            return approach(s, s.board == "T")
        return "build" if ahead == "." else approach(s, s.board == ".")
    ready = s.pick == 0 or (s.pick == 1 and s.stone >= 1)
    if ready and s.wood:
        return "craft" if ahead == "B" else approach(s, s.board == "B")
    if s.pick == 2:
        return approach(s, s.board == "D")
    return approach(s, s.board == "o")


def lose(s):
    """Without a pick nothing comes of it."""
    return approach(s, s.board == "T") if (s.board == "T").any() else "gather"
