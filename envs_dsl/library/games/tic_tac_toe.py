"""In turn put your mark on a free cell: three in a row, across, down or diagonally, win."""
game = Game(size=(3, 3), players=2, max_steps=90, verbs=["use"], skills=["contest", "puzzle"])

THINK = Param(8, 5, 10, harder="down")

class Tile(Enum):
    FREE = Look(".", "black")
    CROSS = Look("x", "blue", marker=True)
    NOUGHT = Look("o", "orange", marker=True)

class State:
    cursor: Pos = Pos(1, 1)
    to_move: Int(0, 1) = 0
    clock: Int(0, 10) = 0
    board: Grid(Tile, outside=Tile.FREE) = Tile.FREE

def three(mine):
    found = any(mine and mine != mine)
    for d in dirs8():
        found = found or any(mine and shift(mine, d) and shift(shift(mine, d), d))
    return found

def reset(s):
    s.to_move = randint(0, 1)

def step(s, acts):
    """Only the seat that is to move is heard; who thinks for too long loses."""
    i = s.to_move
    mark = Tile.CROSS if i == 0 else Tile.NOUGHT
    s.cursor = try_move(s.cursor, acts[i].move)
    s.clock += 1
    if acts[i].use and s.board[s.cursor] == Tile.FREE:
        s.board[s.cursor] = mark
        s.to_move = opponent(i)
        s.clock = 0
        if three(s.board == mark):
            win(i)
        elif not any(s.board == Tile.FREE):
            draw()
    elif s.clock >= THINK:
        win(opponent(i))
