"""A shredder eats its way in from the right. Pick up the public (white) pages before it gets them, never
step on a secret (red) one nor into the teeth, and live until all secret pages are shredded."""
game = Game(size=(7, 9), max_steps=90, skills=["avoidance", "navigation"])

PUBLIC = Param(3, 1, 6, harder="up")
SECRET = Param(4, 1, 9, harder="up")
SPREAD = Param(0.12, 0.07, 0.25, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    PUBLIC = Look("p", "white", item=True)
    SECRET = Look("s", "darkred", marker=True)
    TEETH = Look("w", "red", hazard=True)
    DESK = Look("#", "brown", solid=True)

class State:
    agent: Pos = Pos(3, 0)
    board: Grid(Tile, outside=Tile.DESK) = Tile.FLOOR

def reset(s):
    s.board = where(COL == 8, Tile.TEETH, s.board)
    for k in range(6):
        if k < PUBLIC:
            s.board[random_cell(s.board == Tile.FLOOR and COL > 1 and COL < 7)] = Tile.PUBLIC
    for k in range(9):
        if k < SECRET:
            s.board[random_cell(s.board == Tile.FLOOR and COL > 2 and COL < 8)] = Tile.SECRET
    s.agent = Pos(randint(1, 5), randint(0, 1))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.PUBLIC:
        s.board[s.agent] = Tile.FLOOR
        reward(0.15)
    elif s.board[s.agent] == Tile.SECRET:
        lose()
    teeth = s.board == Tile.TEETH
    bitten = not teeth and chance_grid(SPREAD * neighbors4(teeth))
    if any(bitten and s.board == Tile.PUBLIC):
        lose()
    s.board = where(bitten, Tile.TEETH, s.board)
    if s.board[s.agent] == Tile.TEETH:
        lose()
    elif not any(s.board == Tile.SECRET or s.board == Tile.PUBLIC):
        win()
