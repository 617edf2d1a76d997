"""Tow every broken car to the garage: stand with your back to it and pull to hitch it (pull again lets
go). It follows in your track and is handed in when it rolls into the garage. Moves turn you first."""
game = Game(size=(7, 7), max_steps=90, verbs=["pull"], skills=["puzzle", "manipulation"])

CARS = Param(2, 1, 3, harder="up")
PILLARS = Param(0.4, 0.0, 1.0, harder="up")
CLOSING = Param(80, 50, 88, harder="down")

class Tile(Enum):
    YARD = Look(".", "black")
    PILLAR = Look("#", "gray", solid=True)
    CAR = Look("c", "red", solid=True, item=True)
    GARAGE = Look("G", "green", goal=True)

class State:
    truck: Pos
    facing: Dir = UP
    hitched: Bool = False
    car: Pos = Pos(-1, -1)
    hooked: Int(0, 3) = 0
    parked: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.PILLAR) = Tile.YARD

def reset(s):
    pillars = ROW % 2 == 1 and COL % 2 == 1 and chance_grid(PILLARS)
    s.board = where(pillars, Tile.PILLAR, s.board)
    s.board[Pos(randint(1, 2) * 2, randint(1, 2) * 2)] = Tile.GARAGE
    s.truck = random_cell(s.board == Tile.YARD and BORDER)
    s.facing = random_dir()
    for k in range(3):
        if k < CARS:
            open_yard = s.board == Tile.YARD and not BORDER and not disk(s.truck, 1.0)
            s.board[random_cell(open_yard)] = Tile.CAR

def step(s, act):
    d = act.move
    target = s.truck + d
    if act.pull:
        behind = s.truck - s.facing
        if s.hitched:
            s.hitched = False
        elif s.board[behind] == Tile.CAR:
            s.hitched = True
            s.car = behind
            if s.hooked <= s.parked:
                s.hooked = s.parked + 1
                reward(0.1)
    elif d == s.facing and not solid(s.board[target]):
        if s.hitched:
            s.board[s.car] = Tile.YARD
            s.car = s.truck
            if s.board[s.car] == Tile.GARAGE:
                s.hitched = False
                s.parked += 1
                reward(0.2)
            else:
                s.board[s.car] = Tile.CAR
        s.truck = target
    elif d != STAY and d != s.facing:
        if d == opposite(s.facing) and not s.hitched and not solid(s.board[target]):
            s.truck = target
        elif d != opposite(s.facing) or s.hitched:
            s.facing = d
    if s.parked >= CARS:
        win()
    elif s.t + 1 >= CLOSING and any(s.board == Tile.CAR):
        lose()
