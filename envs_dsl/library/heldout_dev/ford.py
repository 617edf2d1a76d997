"""Cross four lanes to the far bank: red carts roll right, orange ones left, and a hit ends it."""
game = Game(size=(7, 7), max_steps=40, skills=["avoidance", "navigation"])

TRAFFIC = Param(0.15, 0.05, 0.4, harder="up")

class Tile(Enum):
    ROAD = Look(".", "black")
    GRASS = Look(",", "darkgreen")
    RIGHTWARD = Look(">", "red", hazard=True)
    LEFTWARD = Look("<", "orange", hazard=True)
    BANK = Look("B", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.ROAD) = Tile.ROAD

def reset(s):
    rightlane = ROW == 2 or ROW == 5
    leftlane = ROW == 1 or ROW == 4
    s.board = where(ROW == 0, Tile.BANK, where(ROW == 3 or ROW == 6, Tile.GRASS, s.board))
    s.board = where(rightlane and chance_grid(TRAFFIC), Tile.RIGHTWARD, s.board)
    s.board = where(leftlane and chance_grid(TRAFFIC), Tile.LEFTWARD, s.board)
    s.agent = Pos(6, randint(1, 5))

def step(s, act):
    before = s.agent.row
    s.agent = try_move(s.agent, act.move)
    reward(0.06 * (before - s.agent.row))
    rightlane = ROW == 2 or ROW == 5
    leftlane = ROW == 1 or ROW == 4
    rightward = shift(s.board == Tile.RIGHTWARD, RIGHT)
    leftward = shift(s.board == Tile.LEFTWARD, LEFT)
    rightward = rightward or (rightlane and COL == 0 and chance_grid(TRAFFIC))
    leftward = leftward or (leftlane and COL == 6 and chance_grid(TRAFFIC))
    s.board = where(rightlane or leftlane, Tile.ROAD, s.board)
    s.board = where(rightward, Tile.RIGHTWARD, where(leftward, Tile.LEFTWARD, s.board))
    if tagged(s.board[s.agent], "hazard"):
        lose()
    if s.board[s.agent] == Tile.BANK:
        win()
