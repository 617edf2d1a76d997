"""Glide your gripper over the belt: touch every faulty part (the first kind) before it is shipped at
the right, and never brush against a sound part, which sways across the belt."""
game = Game(size=(7, 9), max_steps=90, skills=["continuous", "avoidance"])

FAULTY = Param(2, 1, 4, harder="up")
SOUND = Param(2, 1, 5, harder="up")
BELT = Param(0.07, 0.03, 0.12, harder="up")
GRIP = Param(0.9, 0.6, 1.2, harder="down")

class Tile(Enum):
    BELT = Look(".", "black")
    RAMP = Look("r", "orange", marker=True)

class Part(Row):
    pos: Vec2(-5.0, 5.0)
    sway: Float(-0.2, 0.2)

class State:
    grip: Vec2(-4.4, 4.4)
    vel: Vec2(-0.8, 0.8)
    faulty: Table(Part, 4)
    sound: Table(Part, 5)
    board: Grid(Tile, outside=Tile.BELT) = Tile.BELT

def reset(s):
    s.board = where(COL == 8, Tile.RAMP, s.board)
    s.grip = Vec2(0.0, 3.0)
    for k in range(4):
        if k < FAULTY:
            spot = Vec2(uniform(-4.0, -1.5), uniform(-2.5, 2.0))
            spawn(s.faulty, pos=spot, sway=uniform(-0.05, 0.05))
    for k in range(5):
        if k < SOUND:
            spot = Vec2(uniform(-4.0, 4.0), uniform(-3.0, 0.5))
            spawn(s.sound, pos=spot, sway=uniform(0.03, 0.09))

def step(s, act):
    s.vel = 0.75 * s.vel + 0.22 * vec(act.move)
    s.grip = Vec2(s.grip.x + s.vel.x, clip(s.grip.y + s.vel.y, -3.4, 3.4))
    for p in s.faulty:
        if abs(p.pos.y) > 2.8:
            p.sway = -p.sway
        p.pos += Vec2(BELT, p.sway)
        if length(p.pos - s.grip) < GRIP:
            kill(p)
            reward(0.2)
        elif p.pos.x > 4.2:
            lose()
    for p in s.sound:
        if p.pos.y * p.sway > 0.0 and abs(p.pos.y) > 2.8:
            p.sway = -p.sway
        p.pos += Vec2(BELT, p.sway)
        if p.pos.x > 4.2:
            p.pos.x = -4.4
        if length(p.pos - s.grip) < 0.6:
            lose()
    if count_alive(s.faulty) == 0:
        win()

def view(s):
    for p in s.faulty:
        disc(p.pos, 0.4, "red")
    for p in s.sound:
        disc(p.pos, 0.4, "white")
    ring(s.grip, GRIP, "gold")
