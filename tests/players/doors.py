"""One holds the outer door, the other lets both into the middle, then each helps the other."""

from players import goto


def win(s, seat):
    plates = s.board == "_"
    plates[:, {True: [6, 9], False: [2, 9]}[seat == 0]] = False
    first, second = s.pos[0][1], s.pos[1][1]
    if seat == 0:
        column = 2 if first < 4 and not (second > 4 and s.board[tuple(s.pos[1])] == "_") else 9
    else:
        column = 6 if first < 9 or s.board[tuple(s.pos[0])] != "_" else 9
        column = 9 if second > 8 else column
    goal = (s.board == "_") if (seat, column) != (1, 9) else (s.board == "E")
    goal[:, [c for c in range(11) if c != column]] = False
    return goto(s.pos[seat], (s.board != "#"), goal)


def lose(s, seat):
    return "STAY"
