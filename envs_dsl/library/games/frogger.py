"""Hop over the road and ride logs across the river into the bays; cars and water are deadly."""
game = Game(size=(9, 9), max_steps=120, skills=["avoidance", "navigation"])

BAYS = Param(2, 1, 3, harder="up")
LOG = Param(4, 2, 5, harder="down")
GAP = Param(5, 3, 7, harder="down")

class Tile(Enum):
    BANK = Look(",", "darkgreen")
    ROAD = Look(".", "black")
    CAR = Look("c", "red", hazard=True)
    WATER = Look("~", "blue", hazard=True)
    LOG = Look("=", "brown")
    HEDGE = Look("#", "green", solid=True)
    BAY = Look("B", "cyan", goal=True)

class State:
    frog: Pos
    filled: Int(0, 3) = 0
    phase: Hidden(Grid(Int(0, 8)))
    board: Grid(Tile, outside=Tile.HEDGE) = Tile.BANK

def traffic(board, phase, t):
    """Even rows drift right, odd rows left; logs and cars come round again and again."""
    ahead = COL + phase + where(ROW % 2 == 0, -t, t)
    river = where(ahead % (LOG + 2) < LOG, Tile.LOG, Tile.WATER)
    road = where(ahead % GAP == 0, Tile.CAR, Tile.ROAD)
    board = where(rect(Pos(1, 0), Pos(3, 8)), river, board)
    return where(rect(Pos(5, 0), Pos(7, 8)), road, board)

def reset(s):
    for k in range(9):
        s.phase = where(ROW == k, randint(0, 8), s.phase)
    s.board = where(ROW == 0, where(COL % 3 == 1, Tile.BAY, Tile.HEDGE), s.board)
    s.board = traffic(s.board, s.phase, 0)
    s.frog = Pos(8, randint(2, 6))

def step(s, act):
    before = s.frog.row
    s.frog = try_move(s.frog, act.move)
    reward(0.02 * (before - s.frog.row))
    s.board = traffic(s.board, s.phase, s.t + 1)
    if s.frog.row >= 1 and s.frog.row <= 3:
        s.frog = s.frog + (RIGHT if s.frog.row % 2 == 0 else LEFT)
    if tagged(s.board[s.frog], "hazard") or not inside(s.frog):
        lose()
    if s.board[s.frog] == Tile.BAY:
        s.board[s.frog] = Tile.HEDGE
        s.frog = Pos(8, 4)
        s.filled += 1
        if s.filled >= BAYS:
            win()
