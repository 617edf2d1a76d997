"""Searches for jumps that leave one peg."""

from players import MOVES, bfs, cell, moved, on


def win(s):
    spots = s.board != "#"

    def jump(pegs, jumped):
        at, move = jumped
        over = moved(at, move)
        land = moved(over, move)
        if at in pegs and over in pegs and land not in pegs and on(spots, land):
            return pegs - {at, over} | {land}
        return None

    pegs = frozenset((int(r), int(c)) for r, c in zip(*(s.board == "o").nonzero()))
    jumps = tuple((at, m) for at in zip(*map(list, spots.nonzero())) for m in MOVES)
    plan, here = [], cell(s.cursor)
    for at, move in bfs(pegs, jump, lambda left: len(left) == 1, jumps):
        walk = bfs(here, lambda p, m: moved(p, m) if on(spots, moved(p, m)) else None, at.__eq__)
        plan += [*walk, "take", move]
        here = moved(moved(at, move), move)
    return plan


def lose(s):
    return "STAY"
