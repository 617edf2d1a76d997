"""Your partner glides left of the glass. Be the mirror image on the right: as far from the glass and at
the same height. Every beat out of step bores the public; touching the glass ends the show."""
game = Game(size=(7, 10), max_steps=90, skills=["continuous"])

BEATS = Param(14, 5, 30, harder="up")
PACE = Param(0.1, 0.05, 0.2, harder="up")
LEEWAY = Param(1.2, 0.8, 1.6, harder="down")
BORED = Param(35, 20, 45, harder="down")

class Tile(Enum):
    STAGE = Look(".", "black")
    GLASS = Look("|", "cyan", hazard=True)

class State:
    me: Vec2(-4.9, 4.9) = Vec2(2.5, 0.0)
    vel: Vec2(-0.6, 0.6)
    partner: Vec2(-4.9, 4.9)
    angle: Hidden(Float(-100.0, 100.0)) = 0.0
    sense: Hidden(Float(-1.0, 1.0)) = 1.0
    beats: Int(0, 30) = 0
    missed: Int(0, 45) = 0
    board: Grid(Tile, outside=Tile.STAGE) = Tile.STAGE

def reset(s):
    s.board = where(COL == 4 or COL == 5, Tile.GLASS, s.board)
    s.angle = uniform(0.0, 6.28)
    s.partner = Vec2(-2.8, 0.0) + Vec2(1.6 * cos(s.angle), 2.6 * sin(s.angle))

def step(s, act):
    s.vel = 0.75 * s.vel + 0.15 * vec(act.move)
    s.me = Vec2(s.me.x + s.vel.x, clip(s.me.y + s.vel.y, -3.4, 3.4))
    if chance(0.03):
        s.sense = -s.sense
    s.angle += PACE * s.sense
    s.partner = Vec2(-2.8, 0.0) + Vec2(1.6 * cos(s.angle), 2.6 * sin(s.angle))
    if length(s.me - Vec2(-s.partner.x, s.partner.y)) < LEEWAY:
        s.beats += 1
        reward(0.02)
    else:
        s.missed += 1
    if s.beats >= BEATS:
        win()
    elif s.board[cell(s.me)] == Tile.GLASS or s.missed >= BORED:
        lose()

def view(s):
    disc(s.partner, 0.4, "pink")
    disc(s.me, 0.4, 0)
    ring(Vec2(-s.partner.x, s.partner.y), LEEWAY, "gray")
