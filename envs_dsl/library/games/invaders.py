"""Shoot down every invader before the marching fleet reaches your row; dodge what they drop."""
game = Game(size=(9, 9), max_steps=250, verbs=["throw"], skills=["avoidance"])

MARCH = Param(4, 2, 8, harder="down")
BOMBS = Param(0.02, 0.0, 0.1, harder="up")
FLEET = Param(3, 1, 6, harder="up")

class Tile(Enum):
    SKY = Look(".", "black")
    INVADER = Look("w", "purple", hazard=True, goal=True)
    BOMB = Look("v", "red", hazard=True)
    SHOT = Look("^", "yellow", item=True)
    SHIP = Look("A", "white", tool=True)

class State:
    ship: Int(0, 8) = 4
    heading: Dir = RIGHT
    board: Grid(Tile, outside=Tile.SKY) = Tile.SKY

def reset(s):
    s.board = where(ROW < 2 and COL > 0 and COL <= FLEET, Tile.INVADER, s.board)
    s.board[Pos(8, s.ship)] = Tile.SHIP

def step(s, act):
    s.ship += 1 if act.move == RIGHT else -1 if act.move == LEFT else 0
    fleet = s.board == Tile.INVADER
    if (s.t + 1) % MARCH == 0:
        edge = COL == (8 if s.heading == RIGHT else 0)
        if any(fleet and edge):
            fleet = shift(fleet, DOWN)
            s.heading = opposite(s.heading)
        else:
            fleet = shift(fleet, s.heading)
    shots = shift(s.board == Tile.SHOT, UP)
    if act.throw and not any(shots):
        shots = at(Pos(7, s.ship))
    bombs = shift(s.board == Tile.BOMB, DOWN) or (shift(fleet, DOWN) and chance_grid(BOMBS))
    reward(0.05 * count(fleet and shots))
    hit = fleet and shots
    fleet = fleet and not hit
    shots = shots and not hit
    s.board = where(bombs, Tile.BOMB, where(shots, Tile.SHOT, Tile.SKY))
    s.board = where(fleet, Tile.INVADER, s.board)
    if s.board[Pos(8, s.ship)] == Tile.BOMB or any(fleet and ROW == 8):
        lose()
    s.board[Pos(8, s.ship)] = Tile.SHIP
    if not any(fleet):
        win()
