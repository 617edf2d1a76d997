"""Slide your sledge over logs to load them and bring them to the fire in the middle. Logs appear and
are snowed under. If the fire dies you freeze; at dawn you have won."""
game = Game(size=(9, 9), max_steps=110, skills=["continuous", "resource"])

DAWN = Param(70, 45, 100, harder="up")
LOGS = Param(0.12, 0.05, 0.3, harder="down")
COLD = Param(0.5, 0.3, 0.9, harder="up")

class Tile(Enum):
    SNOW = Look(".", "white")
    LOG = Look("l", "brown", resource=True)
    FIRE = Look("F", "orange", goal=True)

class State:
    sledge: Vec2(-4.4, 4.4)
    speed: Vec2(-0.9, 0.9)
    load: Int(0, 4) = 0
    fire: Float(0.0, 40.0) = 18.0
    board: Grid(Tile, outside=Tile.SNOW) = Tile.SNOW

def reset(s):
    s.sledge = Vec2(uniform(-3.0, 3.0), 3.0)
    s.board = where(disk(Pos(4, 4), 1.0), Tile.FIRE, s.board)
    for k in range(4):
        s.board[random_cell(s.board == Tile.SNOW)] = Tile.LOG

def step(s, act):
    s.speed = 0.7 * s.speed + 0.22 * vec(act.move)
    s.sledge += s.speed
    here = s.board[cell(s.sledge)]
    if here == Tile.LOG and s.load < 4:
        s.board[cell(s.sledge)] = Tile.SNOW
        s.load += 1
        reward(0.03)
    if here == Tile.FIRE and s.load > 0:
        s.fire += 8.0 * s.load
        reward(0.05)
        s.load -= 4
    s.board = where(s.board == Tile.LOG and chance_grid(0.01), Tile.SNOW, s.board)
    if chance(LOGS):
        s.board[random_cell(s.board == Tile.SNOW)] = Tile.LOG
    s.fire -= COLD
    if s.fire <= 0.0:
        lose()
    elif s.t + 1 >= DAWN:
        win()

def view(s):
    disc(s.sledge, 0.4, 0)
