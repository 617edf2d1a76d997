"""Land on the green pad: thrust against gravity to touch down slowly, before the fuel is gone."""
game = Game(size=(12, 12), max_steps=150, skills=["continuous", "avoidance"])

GRAVITY = Param(0.0206, 0.01, 0.04, harder="up")
SOFT = Param(0.206, 0.1, 0.4, harder="down")
FUEL = Param(61.8, 30.0, 90.0, harder="down")

class Tile(Enum):
    SPACE = Look(".", "black")
    ROCK = Look("#", "gray", hazard=True)
    PAD = Look("P", "green", goal=True)

class State:
    pos: Vec2(-5.9, 5.9)
    vel: Vec2(-0.8, 0.8)
    fuel: Float(0.0, 90.0)
    pad: Pos
    board: Grid(Tile, outside=Tile.SPACE) = Tile.SPACE

def reset(s):
    height = 1
    for k in range(12):
        height = clip(height + randint(-1, 1), 1, 4)
        s.board = where(COL == k and ROW >= 12 - height, Tile.ROCK, s.board)
    s.pad = Pos(11, randint(2, 9))
    clear = where(ROW == 11, Tile.PAD, Tile.SPACE)
    s.board = where(abs(COL - s.pad.col) <= 1, clear, s.board)
    s.pos = Vec2(uniform(-5.0, 5.0), -5.5)
    s.vel = Vec2(uniform(-0.2, 0.2), 0.0)
    s.fuel = FUEL

def step(s, act):
    s.vel += Vec2(0.0, GRAVITY)
    if act.move != STAY and s.fuel > 0.0:
        s.vel += 0.06 * vec(act.move)
        s.fuel -= 1.0
    s.pos += s.vel
    ground = s.board[cell(s.pos)]
    if ground == Tile.PAD and length(s.vel) <= SOFT:
        win()
    elif ground != Tile.SPACE:
        lose()

def view(s):
    disc(s.pos, 0.4, 0)
