"""Glide your plane over the fires and drop water until none is left; skim the lake to fill the
tank. When too much of the forest is in flames the fire has won."""
game = Game(size=(9, 9), max_steps=120, verbs=["drop"], skills=["continuous", "resource"])

FIRES = Param(2, 1, 4, harder="up")
SPREAD = Param(0.004, 0.0, 0.015, harder="up")
SPLASH = Param(1.5, 1.0, 2.0, harder="down")

class Tile(Enum):
    FOREST = Look("T", "darkgreen")
    FIRE = Look("f", "red", goal=True)
    WET = Look("w", "green")
    LAKE = Look("~", "blue", resource=True)

class State:
    plane: Vec2(-4.4, 4.4)
    speed: Vec2(-0.9, 0.9)
    tank: Int(0, 3) = 3
    board: Grid(Tile, outside=Tile.FOREST) = Tile.FOREST

def reset(s):
    s.plane = Vec2(uniform(-3.0, 3.0), 4.0)
    s.board = where(disk(Pos(randint(6, 8), randint(1, 7)), 1.5), Tile.LAKE, s.board)
    for k in range(4):
        if k < FIRES:
            s.board[random_cell(s.board == Tile.FOREST and ROW < 5)] = Tile.FIRE

def step(s, act):
    s.speed = 0.7 * s.speed + 0.25 * vec(act.move)
    s.plane += s.speed
    below = cell(s.plane)
    if s.board[below] == Tile.LAKE:
        s.tank += 3
    if act.drop and s.tank > 0:
        s.tank -= 1
        put_out = disk(below, SPLASH) and s.board == Tile.FIRE
        reward(0.2 * count(put_out))
        s.board = where(put_out, Tile.WET, s.board)
    burning = s.board == Tile.FIRE
    caught = s.board == Tile.FOREST and chance_grid(SPREAD * neighbors8(burning))
    s.board = where(caught, Tile.FIRE, s.board)
    if not any(s.board == Tile.FIRE):
        win()
    elif count(s.board == Tile.FIRE) > 25:
        lose()

def view(s):
    disc(s.plane, 0.4, 0)
