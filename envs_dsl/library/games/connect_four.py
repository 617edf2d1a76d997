"""In turn drop a disc into a column: four of yours in a line, in any direction, win."""
game = Game(size=(6, 7), players=2, max_steps=200, verbs=["drop"], skills=["contest", "puzzle"])

THINK = Param(10, 7, 14, harder="down")

class Tile(Enum):
    FREE = Look(".", "black")
    BLUE = Look("b", "blue", solid=True, marker=True)
    ORANGE = Look("o", "orange", solid=True, marker=True)

class State:
    column: Int(0, 6) = 3
    to_move: Int(0, 1) = 0
    clock: Int(0, 14) = 0
    board: Grid(Tile, outside=Tile.BLUE) = Tile.FREE

def four(mine):
    found = any(mine and mine != mine)
    for d in dirs8():
        pairs = mine and shift(mine, d)
        found = found or any(pairs and shift(shift(pairs, d), d))
    return found

def reset(s):
    s.to_move = randint(0, 1)

def step(s, acts):
    """Only the seat that is to move is heard; who thinks for too long loses."""
    i = s.to_move
    disc_of_mine = Tile.BLUE if i == 0 else Tile.ORANGE
    s.column += 1 if acts[i].move == RIGHT else -1 if acts[i].move == LEFT else 0
    s.clock += 1
    space = Pos(count(s.board == Tile.FREE and COL == s.column) - 1, s.column)
    if acts[i].drop and inside(space):
        s.board[space] = disc_of_mine
        s.to_move = opponent(i)
        s.clock = 0
        if four(s.board == disc_of_mine):
            win(i)
        elif not any(s.board == Tile.FREE):
            draw()
    elif s.clock >= THINK:
        win(opponent(i))
