"""Bombs the next crate on the way to a slime, or the slime, then steps out of the line of fire."""

import numpy as np

from players import MOVES, bfs, cell, goto, moved, on


def blast(board, at):
    """Cells that a bomb there burns."""
    burnt = np.zeros(board.shape, bool)
    burnt[at] = True
    for move in MOVES:
        spot = at
        for _ in range(2):
            spot = moved(spot, move)
            if not on(board != "#", spot):
                break
            burnt[spot] = True
            if board[spot] == "c":
                break
    return burnt


def win(s):
    free, me = s.board != "#", cell(s.agent)
    slimes = [cell(p) for p, alive in zip(s.slimes["pos"], s.slimes["alive"]) if alive]
    bombs = [cell(p) for p, alive in zip(s.bombs["pos"], s.bombs["alive"]) if alive]
    walkable = free & (s.board != "c")
    near = np.zeros(s.board.shape, bool)
    for row, col in slimes:
        near[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2] = True
    if bombs:
        danger = np.any([blast(s.board, bomb) for bomb in bombs], axis=0)
        for bomb in bombs:
            walkable[bomb] = False
        safe = walkable & ~danger & ~near
        return goto(me, walkable & ~near, safe if safe.any() else walkable & ~danger)
    fire = blast(s.board, me)
    if any(fire[slime] for slime in slimes) and not near[me]:
        return "drop"

    def walk(here, move):
        there = moved(here, move)
        return there if on(free, there) else None

    path = bfs(
        me, walk, lambda at: any(blast(s.board, at)[slime] for slime in slimes) and not near[at]
    )
    if not path:
        return goto(me, walkable & ~near, walkable & ~near)
    there = moved(me, path[0])
    if s.board[there] == "c":
        return "drop"
    return path[0] if not near[there] else "STAY"


def lose(s):
    return "drop"
