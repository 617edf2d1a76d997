"""Fly the drone through the greenhouse, slow down over a ripe red tomato and gather it. Green ones
ripen, ripe ones rot; gathering anything but a ripe one is a mistake, and three mistakes end it."""
game = Game(size=(7, 7), max_steps=110, verbs=["gather"], skills=["continuous", "resource"])

NEED = Param(4, 1, 7, harder="up")
SLOW = Param(0.35, 0.2, 0.9, harder="down")
ROT = Param(0.02, 0.005, 0.05, harder="up")

class Tile(Enum):
    SOIL = Look(".", "black")
    GREEN = Look("g", "green")
    RIPE = Look("r", "red", item=True)
    ROTTEN = Look("x", "brown", hazard=True)

class State:
    pos: Vec2(-3.4, 3.4)
    vel: Vec2(-0.8, 0.8)
    picked: Int(0, 7) = 0
    mistakes: Int(0, 3) = 0
    board: Grid(Tile) = Tile.SOIL

def reset(s):
    plants = chance_grid(0.45)
    s.board = where(plants, pick_grid(Tile.GREEN, Tile.GREEN, Tile.RIPE), s.board)
    s.pos = Vec2(uniform(-3.0, 3.0), uniform(-3.0, 3.0))

def step(s, act):
    s.vel = 0.75 * s.vel + 0.22 * vec(act.move)
    s.pos += s.vel
    spot = cell(s.pos)
    fruit = s.board[spot]
    if act.gather and length(s.vel) <= SLOW and fruit != Tile.SOIL:
        s.board[spot] = Tile.GREEN
        if fruit == Tile.RIPE:
            s.picked += 1
            reward(0.12)
        else:
            s.mistakes += 1
            reward(-0.08)
    old = s.board
    s.board = where(old == Tile.GREEN and chance_grid(0.02), Tile.RIPE, s.board)
    s.board = where(old == Tile.RIPE and chance_grid(ROT), Tile.ROTTEN, s.board)
    s.board = where(old == Tile.ROTTEN and chance_grid(0.03), Tile.GREEN, s.board)
    if s.picked >= NEED:
        win()
    elif s.mistakes >= 3:
        lose()

def view(s):
    disc(s.pos, 0.4, 0)
