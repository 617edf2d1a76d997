"""Turn, thrust and shoot: break the rocks to pieces and shoot those too; do not be hit by any."""
game = Game(size=(12, 12), max_steps=250, verbs=["throw"], skills=["continuous", "avoidance"])

ROCKS = Param(2, 1, 3, harder="up")
SPEED = Param(0.1, 0.02, 0.3, harder="up")

class Rock(Row):
    pos: Vec2(-6.0, 6.0)
    heading: Float(0.0, 6.2832)
    big: Bool

class Shot(Row):
    pos: Vec2(-6.0, 6.0)
    heading: Float(0.0, 6.2832)
    range: Int(0, 8)

class State:
    ship: Vec2(-6.0, 6.0)
    vel: Vec2(-0.5, 0.5)
    angle: Float(0.0, 6.2832) = 0.0
    rocks: Table(Rock, 6)
    shots: Table(Shot, 2)

def around(v):
    """Space is round: what leaves on one side comes back on the other."""
    return Vec2((v.x + 6.0) % 12.0 - 6.0, (v.y + 6.0) % 12.0 - 6.0)

def radius(big):
    return 1.0 if big else 0.5

def reset(s):
    s.angle = uniform(0.0, 6.2832)
    for k in range(3):
        if k < ROCKS:
            place = uniform(4.0, 6.0) * unit(uniform(0.0, 6.2832))
            spawn(s.rocks, pos=place, heading=uniform(0.0, 6.2832), big=True)

def step(s, act):
    turn = 0.2 if act.move == RIGHT else -0.2 if act.move == LEFT else 0.0
    s.angle = (s.angle + turn) % 6.2832
    if act.move == UP:
        s.vel += 0.05 * unit(s.angle)
    s.ship = around(s.ship + s.vel)
    if act.throw:
        spawn(s.shots, pos=s.ship, heading=s.angle, range=8)
    for r in s.rocks:
        r.pos = around(r.pos + SPEED * unit(r.heading))
        if length(around(r.pos - s.ship)) < radius(r.big) + 0.3:
            lose()
    for b in s.shots:
        b.pos = around(b.pos + 0.8 * unit(b.heading))
        b.range -= 1
        hit = False
        for r in s.rocks:
            if not hit and length(around(r.pos - b.pos)) < radius(r.big) + 0.2:
                hit = True
                if r.big:
                    spawn(s.rocks, pos=r.pos, heading=(r.heading + 1.2) % 6.2832, big=False)
                    spawn(s.rocks, pos=r.pos, heading=(r.heading - 1.2) % 6.2832, big=False)
                kill(r)
                reward(0.05)
        if hit or b.range == 0:
            kill(b)
    left = 0
    for r in s.rocks:
        left += 1
    if left == 0:
        win()

def view(s):
    bar(s.ship, s.ship + 0.6 * unit(s.angle), "white")
    disc(s.ship, 0.3, 0)
    for r in s.rocks:
        disc(r.pos, radius(r.big), "gray")
    for b in s.shots:
        disc(b.pos, 0.15, "yellow")
