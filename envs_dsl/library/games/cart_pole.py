"""Push the cart left and right so that the pole on it stays up until the time is over."""
game = Game(size=(5, 5), max_steps=200, skills=["continuous"])

HOLD = Param(100, 30, 195, harder="up")
TILT = Param(0.05, 0.0, 0.15, harder="up")
POLE = Param(0.5, 0.25, 1.0, harder="down")

class State:
    x: Float(-2.4, 2.4) = 0.0
    speed: Float(-10.0, 10.0) = 0.0
    angle: Float(-1.5, 1.5) = 0.0
    spin: Float(-10.0, 10.0) = 0.0

def reset(s):
    s.x = uniform(-0.05, 0.05)
    s.angle = uniform(-TILT, TILT)

def step(s, act):
    push = 10.0 * vec(act.move).x
    thrust = (push + 0.1 * POLE * s.spin * s.spin * sin(s.angle)) / 1.1
    inertia = POLE * (1.3333 - 0.1 * cos(s.angle) * cos(s.angle) / 1.1)
    turn = (9.8 * sin(s.angle) - cos(s.angle) * thrust) / inertia
    s.x += 0.02 * s.speed
    s.speed += 0.02 * (thrust - 0.1 * POLE * turn * cos(s.angle) / 1.1)
    s.angle += 0.02 * s.spin
    s.spin += 0.02 * turn
    if abs(s.angle) > 0.2095 or abs(s.x) >= 2.4:
        lose()
    if s.t + 1 >= HOLD:
        win()

def view(s):
    foot = Vec2(s.x, 1.0)
    disc(foot, 0.3, "white")
    bar(foot, foot + 2.0 * Vec2(sin(s.angle), -cos(s.angle)), "brown")
