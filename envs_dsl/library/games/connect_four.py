"""In turn drop a disc into a column: four of yours in a line, in any direction, win."""
game = Game(size=(6, 7), players=2, turns="alternate", max_steps=200, verbs=["drop"],
            skills=["contest", "puzzle"])

THINK = Param(10, 7, 14, harder="down")

class Tile(Enum):
    FREE = Look(".", "black")
    BLUE = Look("b", "blue", solid=True, marker=True)
    ORANGE = Look("o", "orange", solid=True, marker=True)

class State:
    column: Int(0, 6) = 3
    clock: Int(0, 14) = 0
    board: Grid(Tile, outside=Tile.BLUE) = Tile.FREE

def four(mine):
    found = False
    for d in dirs8():
        pairs = mine and shift(mine, d)
        found = found or any(pairs and shift(shift(pairs, d), d))
    return found

def reset(s):
    s.column = randint(0, 6)

def step(s, act):
    """The hand can be moved before the disc is dropped, but who thinks for too long loses."""
    own = Tile.BLUE if s.turn == 0 else Tile.ORANGE
    s.column += 1 if act.move == RIGHT else -1 if act.move == LEFT else 0
    space = Pos(count(s.board == Tile.FREE and COL == s.column) - 1, s.column)
    if act.drop and inside(space):
        s.board[space] = own
        s.clock = 0
        if four(s.board == own):
            win(s.turn)
        elif not any(s.board == Tile.FREE):
            draw()
    else:
        again()
        s.clock += 1
        if s.clock >= THINK:
            win(opponent(s.turn))
