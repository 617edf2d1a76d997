"""The acrobat flies down slantwise and swings back from the tent's sides; half-way down the light goes
out. Move along the bottom row to be below him when he lands. One miss ends the show."""
game = Game(size=(8, 9), max_steps=60, skills=["memory"])

CATCHES = Param(2, 1, 5, harder="up")
LIGHT = Param(4, 2, 6, harder="down")
NET = Param(1, 0, 1, harder="down")

class Tile(Enum):
    TENT = Look(".", "black")
    ACROBAT = Look("A", "gold", item=True)
    DARK = Look("_", "darkgray")

class State:
    catcher: Pos = Pos(7, 4)
    height: Int(0, 7) = 0
    caught: Int(0, 5) = 0
    landing: Hidden(Int(0, 8)) = 0
    lean: Hidden(Int(-1, 1)) = 1
    board: Grid(Tile, outside=Tile.TENT) = Tile.TENT

def column(landing, lean, height):
    """Where he is so many rows down, folded back at the sides."""
    x = abs(landing - lean * (7 - height))
    return x if x <= 8 else 16 - x

def target(s):
    return random_cell(ROW == 7 and abs(COL - s.catcher.col) >= 2 and abs(COL - s.catcher.col) <= 5)

def reset(s):
    s.catcher = Pos(7, randint(0, 8))
    s.landing = target(s).col
    s.lean = pick(-1, 1)
    s.board[Pos(0, column(s.landing, s.lean, 0))] = Tile.ACROBAT

def step(s, act):
    if act.move == LEFT or act.move == RIGHT:
        s.catcher = try_move(s.catcher, act.move)
    s.height += 1
    s.board = where(ROW > LIGHT and ROW < 7, Tile.DARK, Tile.TENT)
    if s.height >= 7:
        if abs(s.catcher.col - s.landing) <= NET:
            s.caught += 1
            reward(0.15)
            s.height = 0
            s.landing = target(s).col
            s.lean = pick(-1, 1)
        else:
            lose()
    if s.height <= LIGHT:
        s.board[Pos(s.height, column(s.landing, s.lean, s.height))] = Tile.ACROBAT
    if s.caught >= CATCHES:
        win()
