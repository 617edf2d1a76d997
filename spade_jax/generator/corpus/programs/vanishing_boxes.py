"""Step into a box and you come out of the other one of its colour; a purple one is false and throws
you anywhere. Reach the exit beyond the walls; smoke spreads, and its touch ends the show."""
game = Game(size=(9, 9), max_steps=70, skills=["avoidance", "navigation"])

SMOKE = Param(0.05, 0.01, 0.12, harder="up")
FALSE_ONES = Param(3, 0, 6, harder="up")
VENTS = Param(1, 1, 3, harder="up")

class Tile(Enum):
    STAGE = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    RED_BOX = Look("r", "red", door=True)
    BLUE_BOX = Look("b", "blue", door=True)
    FALSE_BOX = Look("f", "purple", door=True)
    SMOKE = Look("~", "white", hazard=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.STAGE

def other(board, box, p):
    """The cell of the other box of that kind."""
    return nearest(board == box and not at(p), p)

def reset(s):
    """Three rooms side by side: red joins the first two, blue the second and the last."""
    s.board = where(COL == 3 or COL == 6, Tile.WALL, s.board)
    s.agent = random_cell(COL == 0)
    s.board[random_cell(COL == 2)] = Tile.RED_BOX
    s.board[random_cell(COL == 4)] = Tile.RED_BOX
    s.board[random_cell(COL == 5)] = Tile.BLUE_BOX
    s.board[random_cell(COL == 7)] = Tile.BLUE_BOX
    s.board[random_cell(COL == 8)] = Tile.EXIT
    for k in range(6):
        if k < FALSE_ONES:
            s.board[random_cell(s.board == Tile.STAGE and not disk(s.agent, 1.0))] = Tile.FALSE_BOX
    for k in range(3):
        if k < VENTS:
            s.board[random_cell(s.board == Tile.STAGE and not disk(s.agent, 3.0))] = Tile.SMOKE

def step(s, act):
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if s.agent != before:
        if here == Tile.RED_BOX or here == Tile.BLUE_BOX:
            s.agent = other(s.board, here, s.agent)
            reward(0.1 if s.agent.col > before.col + 1 else -0.1)
        elif here == Tile.FALSE_BOX:
            clear = s.board == Tile.STAGE
            if any(clear):
                s.agent = random_cell(clear)
    cloud = s.board == Tile.SMOKE
    s.board = where(s.board == Tile.STAGE and chance_grid(SMOKE * neighbors4(cloud)), Tile.SMOKE, s.board)
    if s.board[s.agent] == Tile.SMOKE:
        lose()
    elif s.board[s.agent] == Tile.EXIT:
        win()
