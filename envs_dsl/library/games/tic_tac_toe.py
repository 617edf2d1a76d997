"""In turn put your mark on a free cell: three in a row, across, down or diagonally, win."""
game = Game(size=(3, 3), players=2, turns="alternate", max_steps=90, verbs=["use"],
            skills=["contest", "puzzle"])

THINK = Param(8, 5, 10, harder="down")

class Tile(Enum):
    FREE = Look(".", "black")
    CROSS = Look("x", "blue", marker=True)
    NOUGHT = Look("o", "orange", marker=True)

class State:
    cursor: Pos = Pos(1, 1)
    clock: Int(0, 10) = 0
    board: Grid(Tile, outside=Tile.FREE) = Tile.FREE

def three(mine):
    found = False
    for d in dirs8():
        found = found or any(mine and shift(mine, d) and shift(shift(mine, d), d))
    return found

def reset(s):
    s.cursor = Pos(randint(0, 2), randint(0, 2))

def step(s, act):
    """The cursor can be moved before the mark is put down, but who thinks for too long loses."""
    mark = Tile.CROSS if s.turn == 0 else Tile.NOUGHT
    s.cursor = try_move(s.cursor, act.move)
    if act.use and s.board[s.cursor] == Tile.FREE:
        s.board[s.cursor] = mark
        s.clock = 0
        if three(s.board == mark):
            win(s.turn)
        elif not any(s.board == Tile.FREE):
            draw()
    else:
        again()
        s.clock += 1
        if s.clock >= THINK:
            win(opponent(s.turn))
