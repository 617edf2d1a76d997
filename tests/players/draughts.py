"""Looks one exchange ahead: takes more than it gives; the loser gives more than it takes."""

from itertools import product

from players import bfs, cell, moved

CELLS = list(product(range(6), range(6)))


def moves(board, seat, only=None):
    """(from, to, captured or None) of every legal move; captures must be made."""
    men, rivals, ahead = ("dD", "lL", -1) if seat == 0 else ("lL", "dD", 1)
    steps, jumps = [], []
    for at in [only] if only else CELLS:
        if board[at] not in men:
            continue
        rows = (-1, 1) if board[at] == men[1] else (ahead,)
        for down, right in product(rows, (-1, 1)):
            near, far = (at[0] + down, at[1] + right), (at[0] + 2 * down, at[1] + 2 * right)
            if near in CELLS and board[near] == ".":
                steps.append((at, near, None))
            elif far in CELLS and board[near] in rivals and board[far] == ".":
                jumps.append((at, far, near))
    return jumps or ([] if only else steps)


def after(board, move):
    board = board.copy()
    start, end, captured = move
    board[end], board[start] = board[start], "."
    if captured:
        board[captured] = "."
    if end[0] == (0 if board[end] == "d" else 5) and board[end] in "dl":
        board[end] = board[end].upper()
    return board


def gain(board, seat, depth, only=None):
    """Men won less men lost in the best line of ``depth`` moves."""
    if depth == 0:
        return 0
    options = moves(board, seat, only)
    values = [worth(board, seat, move, depth) for move in options]
    return max(values) if values else (0 if only else -5)


def worth(board, seat, move, depth):
    then = after(board, move)
    won = (1.0 if move[2] else 0.0) + (0.5 if then[move[1]] != board[move[0]] else 0.0)
    if move[2] and moves(then, seat, move[1]):
        return won + gain(then, seat, depth, move[1])
    return won - gain(then, 1 - seat, depth - 1)


def walk(start, end):
    if start == end:
        return []
    return bfs(start, lambda p, m: moved(p, m) if moved(p, m) in CELLS else None, end.__eq__)


def put(s, seat, choose, depth):
    if s.turn != seat:
        return "STAY"
    only = cell(s.held) if s.jumping else None
    options = moves(s.board, seat, only)
    if not options:
        return "STAY"
    start, end, _ = choose(options, key=lambda move: worth(s.board, seat, move, depth))
    taking = [] if s.jumping else [*walk(cell(s.cursor), start), "take"]
    return [*taking, *walk(start, end), "drop"]


def win(s, seat):
    return put(s, seat, max, 3)


def lose(s, seat):
    return put(s, seat, min, 2)
