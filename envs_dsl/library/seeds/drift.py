"""Fire your thrusters and glide onto the green beacon without drifting into a mine."""
game = Game(size=(9, 9), max_steps=60, skills=["continuous", "navigation"])

THRUST = Param(0.25, 0.1, 0.5, harder="up")
DRAG = Param(0.75, 0.5, 0.95, harder="up")
MINES = Param(0.06, 0.0, 0.2, harder="up")

class Tile(Enum):
    SPACE = Look(".", "black")
    MINE = Look("x", "red", hazard=True)
    BEACON = Look("B", "green", goal=True)

class State:
    pos: Vec2(-4.4, 4.4)
    vel: Vec2(-1.0, 1.0)
    beacon: Vec2(-4.4, 4.4)
    board: Grid(Tile, outside=Tile.SPACE) = Tile.SPACE

def reset(s):
    s.pos = Vec2(uniform(-4.0, 4.0), uniform(-4.0, 4.0))
    s.beacon = Vec2(uniform(-4.0, 4.0), uniform(-4.0, 4.0))
    s.board = where(chance_grid(MINES) and not disk(cell(s.pos), 2.0), Tile.MINE, s.board)
    s.board = where(disk(cell(s.beacon), 1.0), Tile.BEACON, s.board)
    if length(s.pos - s.beacon) < 3.0:
        s.pos = -1.0 * s.beacon

def step(s, act):
    before = length(s.pos - s.beacon)
    s.vel = DRAG * s.vel + THRUST * vec(act.move)
    s.pos += s.vel
    reward(0.05 * (before - length(s.pos - s.beacon)))
    here = s.board[cell(s.pos)]
    if here == Tile.MINE:
        lose()
    if here == Tile.BEACON:
        win()

def view(s):
    disc(s.pos, 0.4, 0)
    ring(s.beacon, 1.0, "green")
