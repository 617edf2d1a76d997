"""Lays a line of pipes along the way that the kinds of the pipes allow."""

from players import cell, moved, on

ENDS = {
    "-": {"LEFT", "RIGHT"}, "|": {"UP", "DOWN"}, "L": {"UP", "RIGHT"},
    "r": {"DOWN", "RIGHT"}, "7": {"DOWN", "LEFT"}, "J": {"UP", "LEFT"},
}  # fmt: skip
OPPOSITE = {"UP": "DOWN", "DOWN": "UP", "LEFT": "RIGHT", "RIGHT": "LEFT"}
TURNED = dict(zip("-|Lr7J", "|-r7JL"))


def line(board, at=(0, 0), came="RIGHT", seen=()):
    """Cells and their directions (in, out) from the upper left to the lower right; or None."""
    for go in ("RIGHT", "DOWN", "UP", "LEFT"):
        straight = board[at] in "-|"
        if go == OPPOSITE[came] or (go == came) != straight:
            continue
        found = [*seen, (at, {OPPOSITE[came], go})]
        if at == (4, 4) and go == "RIGHT":
            return found
        there = moved(at, go)
        if on(board != "", there) and there not in [spot for spot, _ in found]:
            whole = line(board, there, go, found)
            if whole:
                return whole
    return None


def win(s):
    plan, here = [], cell(s.cursor)
    for spot, ends in line(s.board):
        for move in ("UP", "DOWN", "LEFT", "RIGHT"):
            if moved(here, move) == spot:
                plan.append(move)
        pipe, here = s.board[spot], spot
        while ENDS[pipe] != ends:
            plan.append("flip")
            pipe = TURNED[pipe]
    return plan


def lose(s):
    return "STAY"
