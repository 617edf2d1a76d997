"""Keep the pole upright by pushing its cart left and right, and stay on the track."""
game = Game(size=(5, 7), max_steps=500, skills=["continuous"])

# gymnax CartPole-v1. LEFT and RIGHT are its actions 0 and 1; no other move pushes.
# A step pays 1/512 where the original pays 1; a fall ends the episode without a verdict.

# Steps that win. The original has no win: 501, beyond the step limit, plays it as it is.
GOAL = Param(501, 50, 501, harder="up")

class State:
    x: Float(-3.0, 3.0)
    x_speed: Float(-10.0, 10.0)
    angle: Float(-0.5, 0.5)
    spin: Float(-10.0, 10.0)

def reset(s):
    s.x = uniform(-0.05, 0.05)
    s.x_speed = uniform(-0.05, 0.05)
    s.angle = uniform(-0.05, 0.05)
    s.spin = uniform(-0.05, 0.05)

def step(s, act):
    # Cart 1 kg, pole 0.1 kg and half a metre to its middle, force 10 N, 0.02 s a step (Euler).
    up = cos(s.angle)
    side = sin(s.angle)
    push = 10.0 * vec(act.move).x
    pull = (push + 0.05 * s.spin * s.spin * side) / 1.1
    twist = (9.8 * side - up * pull) / (0.6666667 - 0.5 * 0.1 / 1.1 * up * up)
    s.x += 0.02 * s.x_speed
    s.x_speed += 0.02 * (pull - 0.05 / 1.1 * twist * up)
    s.angle += 0.02 * s.spin
    s.spin += 0.02 * twist
    reward(0.001953125)
    if abs(s.x) > 2.4 or abs(s.angle) > 0.20943951:
        draw()
    elif s.t + 1 >= GOAL:
        win()

def view(s):
    cart = Vec2(s.x, 1.5)
    bar(cart, cart + Vec2(2.5 * sin(s.angle), -2.5 * cos(s.angle)), "orange")
    disc(cart, 0.4, 0)
