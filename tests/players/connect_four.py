"""Wins if it can, blocks if it must, else keeps to the middle; the loser stacks discs up."""


def lines(board, at, colour):
    """The longest line of that colour through ``at`` if it were taken."""
    best = 0
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = at[0] + sign * down, at[1] + sign * right
            while 0 <= r < 6 and 0 <= c < 7 and board[r, c] == colour:
                length, r, c = length + 1, r + sign * down, c + sign * right
        best = max(best, length)
    return best


def put(s, seat, column):
    if s.turn != seat:
        return "STAY"
    away = column - int(s.column)
    return ["RIGHT" if away > 0 else "LEFT"] * abs(away) + ["drop"]


def spaces(s):
    """Columns with room, each with its lowest free cell."""
    tops = {c: int((s.board[:, c] == ".").sum()) - 1 for c in range(7)}
    return {c: (r, c) for c, r in tops.items() if r >= 0}


def win(s, seat):
    room = spaces(s)
    mine, theirs = "bo" if seat == 0 else "ob"
    for colour in (mine, theirs):
        for column, at in room.items():
            if lines(s.board, at, colour) >= 4:
                return put(s, seat, column)

    def gift(at):
        above = (at[0] - 1, at[1])
        return above[0] >= 0 and lines(s.board, above, theirs) >= 4

    def worth(column):
        at = room[column]
        return not gift(at), lines(s.board, at, mine), -abs(column - 3)

    return put(s, seat, max(room, key=worth))


def lose(s, seat):
    return put(s, seat, min(spaces(s)))
