"""Carts come down the road, trains along the track. Shut the barrier (use) when a train comes, open
it for the carts: a cart on the rails when the train is there is the end; enough carts over win."""
game = Game(size=(7, 9), max_steps=100, verbs=["use"], skills=["avoidance"], camera="board")

CARTS = Param(4, 2, 9, harder="up")
TRAINS = Param(0.12, 0.04, 0.25, harder="up")
LONG = Param(2, 1, 4, harder="up")

class Tile(Enum):
    FIELD = Look(".", "darkgreen")
    ROAD = Look(":", "gray")
    RAIL = Look("=", "brown")
    OPEN = Look("o", "green", door=True)
    SHUT = Look("x", "red", door=True)

class State:
    shut: Bool = False
    over: Int(0, 9) = 0
    carts: Hidden(Grid(Bool)) = False
    cars: Hidden(Int(0, 4)) = 0
    train: Hidden(Grid(Bool)) = False
    traffic: Grid(Bool) = False
    board: Grid(Tile, outside=Tile.FIELD) = Tile.FIELD

def reset(s):
    s.board = where(COL == 4, Tile.ROAD, s.board)
    s.board = where(ROW == 4, Tile.RAIL, s.board)
    s.board[Pos(3, 3)] = Tile.OPEN

def step(s, act):
    if act.use:
        s.shut = not s.shut
    s.board[Pos(3, 3)] = Tile.SHUT if s.shut else Tile.OPEN
    held = s.carts and ROW == 3 and s.shut
    for k in range(3):
        held = held or (s.carts and ROW < 3 and shift(held, UP))
    s.carts = held or shift(s.carts and not held, DOWN)
    if s.carts[Pos(6, 4)]:
        s.carts[Pos(6, 4)] = False
        s.over += 1
        reward(0.1)
    if chance(0.25) and not s.carts[Pos(0, 4)]:
        s.carts[Pos(0, 4)] = True
    if s.cars == 0 and chance(TRAINS):
        s.cars = LONG
    s.train = shift(s.train, RIGHT) or (at(Pos(4, 0)) and s.cars > 0)
    s.cars -= 1
    s.traffic = s.carts or s.train
    if any(s.carts and s.train):
        lose()
    elif s.over >= CARTS:
        win()
