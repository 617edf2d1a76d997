"""Autumn: glide about and drop your acorns, more than two cells apart. Then snow hides them and you
wake somewhere else: glide over every store again before your strength is used up."""
game = Game(size=(7, 7), max_steps=120, verbs=["drop"], skills=["continuous", "memory", "resource"])

ACORNS = Param(2, 1, 4, harder="up")
BURN = Param(0.025, 0.012, 0.04, harder="up")
MEAL = Param(0.3, 0.1, 0.5, harder="down")

class Tile(Enum):
    GROUND = Look(".", "darkgreen")
    MOUND = Look("o", "brown", marker=True)
    SNOW = Look("~", "white")
    DUG = Look("d", "gray")

class State:
    pos: Vec2(-3.4, 3.4)
    vel: Vec2(-0.9, 0.9)
    acorns: Int(0, 4) = 1
    found: Int(0, 4) = 0
    winter: Bool = False
    strength: Float(0.0, 1.0) = 1.0
    stores: Hidden(Grid(Bool)) = False
    board: Grid(Tile) = Tile.GROUND

def reset(s):
    s.acorns = ACORNS
    s.pos = Vec2(uniform(-1.0, 1.0), uniform(-1.0, 1.0))

def step(s, act):
    s.vel = 0.75 * s.vel + 0.25 * vec(act.move)
    s.pos += s.vel
    here = cell(s.pos)
    s.strength -= 0.004
    if act.move != STAY:
        s.strength -= BURN
    if act.drop and s.acorns > 0 and not any(s.stores and disk(here, 2.3)):
        s.stores[here] = True
        s.board[here] = Tile.MOUND
        s.acorns -= 1
        reward(0.08)
        if s.acorns == 0:
            s.winter = True
            s.board = Tile.SNOW
            s.pos = Vec2(uniform(-3.0, 3.0), uniform(-3.0, 3.0))
            s.vel = Vec2(0.0, 0.0)
            s.strength = 1.0
    elif s.winter and s.stores[here]:
        s.stores[here] = False
        s.board[here] = Tile.DUG
        s.found += 1
        s.strength += MEAL
        reward(0.15)
        if s.found >= ACORNS:
            win()
    if s.strength <= 0.0:
        lose()

def view(s):
    disc(s.pos, 0.4, 0)
