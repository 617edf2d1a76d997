"""Keeps the large tiles in a corner; the loser avoids joining any until nothing fits."""

import numpy as np

SIDES = {"LEFT": 0, "UP": 1, "RIGHT": 2, "DOWN": 3}


def slide(tiles, move):
    board = np.rot90(tiles, SIDES[move]).copy()
    for line in board:
        kept, out = [v for v in line if v], []
        while kept:
            if len(kept) > 1 and kept[0] == kept[1]:
                out.append(kept[0] + 1)
                kept = kept[2:]
            else:
                out.append(kept.pop(0))
        line[:] = out + [0] * (4 - len(out))
    return np.rot90(board, -SIDES[move])


def win(s):
    def worth(tiles, depth):
        moves = [(m, slide(tiles, m)) for m in SIDES]
        moves = [(m, after) for m, after in moves if (after != tiles).any()]
        if not moves:
            return -100.0, "UP"
        values = []
        for m, after in moves:
            value = float((after == 0).sum() * 2 + after.max() + (after.max() == after[0, 0]) * 3)
            values.append((value + (worth(after, depth - 1)[0] if depth else 0), m))
        return max(values)

    return worth(s.tiles, 1)[1]


def lose(s):
    moves = [(m, slide(s.tiles, m)) for m in SIDES]
    moves = [(m, after) for m, after in moves if (after != s.tiles).any()]
    return min(moves, key=lambda m: (m[1] == 0).sum() - (m[1][:, 1:] != m[1][:, :-1]).sum())[0]
