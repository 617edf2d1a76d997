"""Hop over the road and ride logs across the river into the bays; cars and water are deadly."""
game = Game(size=(9, 9), max_steps=120, skills=["avoidance", "navigation"])

BAYS = Param(2, 1, 3, harder="up")
LOG = Param(3, 2, 4, harder="down")
CARS = Param(2, 1, 3, harder="up")

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
    board: Grid(Tile, outside=Tile.HEDGE) = Tile.BANK

def reset(s):
    lane = COL
    for k in range(9):
        lane = where(ROW == k, (lane + randint(0, 8)) % 9, lane)
    river = where(lane % 5 < LOG, Tile.LOG, Tile.WATER)
    road = where(lane % 3 == 0 and lane < 3 * CARS, Tile.CAR, Tile.ROAD)
    s.board = where(ROW > 0 and ROW < 4, river, where(ROW > 4 and ROW < 8, road, s.board))
    s.board = where(ROW == 0, where(COL % 3 == 1, Tile.BAY, Tile.HEDGE), s.board)
    s.frog = Pos(8, randint(2, 6))

def step(s, act):
    before = s.frog.row
    s.frog = try_move(s.frog, act.move)
    reward(0.02 * (before - s.frog.row))
    drifted = where(ROW % 2 == 0, roll(s.board, RIGHT), roll(s.board, LEFT))
    s.board = where(ROW > 0, drifted, s.board)
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
