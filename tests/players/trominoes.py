"""Puts each piece where the stack stays low, even and whole; the loser stacks all in one place."""

import numpy as np

from envs_dsl.language.vocabulary import DIR_DELTAS

RIGHT_TURN = {4: 2, 2: 3, 3: 1, 1: 4}
OPPOSITE = {1: 2, 2: 1, 3: 4, 4: 3}


def cells(pivot, facing, bent):
    tail = RIGHT_TURN[facing] if bent else OPPOSITE[facing]
    steps = [(0, 0), DIR_DELTAS[facing], DIR_DELTAS[tail]]
    return [(pivot[0] + row, pivot[1] + col) for row, col in steps]


def fits(block, spots):
    return all(0 <= r < 9 and 0 <= c < 6 and not block[r, c] for r, c in spots)


def win(s):
    block, best = s.board == "#", None
    facing = int(s.facing)
    for turns in range(4):
        for col in range(6):
            row = int(s.pivot[0])
            if not fits(block, cells((row, col), facing, s.bent)):
                continue
            while fits(block, cells((row + 1, col), facing, s.bent)):
                row += 1
            after = block.copy()
            for spot in cells((row, col), facing, s.bent):
                after[spot] = True
            full = after.all(1)
            after = np.concatenate([np.zeros((full.sum(), 6), bool), after[~full]])
            covered = np.maximum.accumulate(after, 0)
            heights, holes = covered.sum(0), (covered & ~after).sum()
            uneven = np.abs(np.diff(heights)).sum()
            score = (5 * holes + heights.sum() + uneven - 4 * full.sum(), turns)
            if best is None or score < best[0]:
                best = score, turns, col
        facing = RIGHT_TURN[facing]
    if best is None:
        return "STAY"
    _, turns, col = best
    if turns:
        return "flip"
    return "LEFT" if col < s.pivot[1] else "RIGHT" if col > s.pivot[1] else "STAY"


def lose(s):
    return "STAY"
