"""A door is open only while a plate beside it is stood on: help each other into the last room."""
game = Game(size=(5, 11), players=2, max_steps=120, skills=["cooperation", "puzzle"])

LAG = Param(0.0, 0.0, 0.4, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    SHUT = Look("D", "brown", solid=True, door=True)
    AJAR = Look("d", "orange", door=True)
    PLATE = Look("_", "cyan", tool=True)
    EXIT = Look("E", "green", goal=True)

class State:
    pos: Players(Pos)
    outer: Pos
    inner: Pos
    reached: Int(0, 9) = 3
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(BORDER or COL == 4 or COL == 8, Tile.WALL, s.board)
    s.outer = Pos(randint(1, 3), 4)
    s.inner = Pos(randint(1, 3), 8)
    s.board = where(COL == 9 and not BORDER, Tile.EXIT, s.board)
    s.board[random_cell(COL == 2 and not BORDER)] = Tile.PLATE
    s.board[random_cell(COL == 6 and not BORDER)] = Tile.PLATE
    s.board[random_cell(COL == 9 and not BORDER)] = Tile.PLATE
    s.pos[0] = random_cell(COL == 1 and not BORDER)
    s.pos[1] = random_cell(COL == 3 and not BORDER)

def step(s, acts):
    pressed = (at(s.pos[0]) or at(s.pos[1])) and s.board == Tile.PLATE
    s.board[s.outer] = Tile.AJAR if any(pressed and COL < 8) else Tile.SHUT
    s.board[s.inner] = Tile.AJAR if any(pressed and COL > 4) else Tile.SHUT
    for i in players():
        if not chance(LAG):
            s.pos[i] = try_move(s.pos[i], acts[i].move)
    ahead = max(s.pos[0].col, s.pos[1].col)
    reward(0.05 * max(ahead - s.reached, 0))
    s.reached = max(s.reached, ahead)
    if s.pos[0].col == 9 and s.pos[1].col == 9:
        win()
