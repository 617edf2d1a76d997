"""Glide the seed crystal through the solution: a pure ion that touches it gently makes it grow. An
impure ion, or one that is hit too fast, leaves a fault; with too many faults the crystal is spoilt."""
game = Game(size=(9, 9), max_steps=110, skills=["continuous", "avoidance"])

SIZE = Param(4, 2, 6, harder="up")
IMPURE = Param(0.55, 0.25, 0.75, harder="up")
GENTLE = Param(0.55, 0.35, 1.2, harder="down")
FAULTS = Param(2, 1, 4, harder="down")

class Tile(Enum):
    LIQUID = Look(".", "black")
    GLASS = Look("#", "gray", solid=True)

class Ion(Row):
    pos: Vec2(-4.4, 4.4)
    impure: Bool
    vel: Vec2(-0.3, 0.3)

class State:
    pos: Vec2(-4.4, 4.4)
    vel: Vec2(-1.0, 1.0)
    grown: Int(0, 6) = 0
    faults: Int(0, 4) = 0
    board: Grid(Tile) = Tile.LIQUID
    ions: Table(Ion, 6)

def reset(s):
    s.board = where(BORDER, Tile.GLASS, s.board)
    for k in range(6):
        spot = uniform(2.0, 4.0) * unit(uniform(0.0, 6.28))
        spawn(s.ions, pos=spot, impure=chance(IMPURE), vel=0.2 * unit(uniform(0.0, 6.28)))

def step(s, act):
    s.vel = 0.8 * s.vel + 0.22 * vec(act.move)
    s.pos += s.vel
    s.pos = Vec2(clip(s.pos.x, -3.4, 3.4), clip(s.pos.y, -3.4, 3.4))
    for ion in s.ions:
        if abs(ion.pos.x + ion.vel.x) > 3.4:
            ion.vel.x = -ion.vel.x
        if abs(ion.pos.y + ion.vel.y) > 3.4:
            ion.vel.y = -ion.vel.y
        ion.pos += ion.vel
        if length(ion.pos - s.pos) < 0.75:
            if ion.impure or length(ion.vel - s.vel) > GENTLE:
                s.faults += 1
                reward(-0.1)
            else:
                s.grown += 1
                reward(0.12)
            kill(ion)
    edge = pick(Vec2(-3.3, 0.0), Vec2(3.3, 0.0), Vec2(0.0, -3.3), Vec2(0.0, 3.3))
    if length(edge - s.pos) > 2.5 and chance(0.3):
        spawn(s.ions, pos=edge, impure=chance(IMPURE), vel=0.2 * unit(uniform(0.0, 6.28)))
    if s.faults >= FAULTS:
        lose()
    elif s.grown >= SIZE:
        win()

def view(s):
    disc(s.pos, 0.5, 0)
    for ion in s.ions:
        disc(ion.pos, 0.25, "white")
