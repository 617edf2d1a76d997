"""Table tennis seen from above: move your bat in your half and meet the ball. A bat that moves along
the line gives spin, which bends the flight. Who lets the ball pass gives a point away."""
game = Game(size=(9, 13), players=2, max_steps=250, skills=["contest", "continuous"])

NEED = Param(2, 1, 4, harder="up")
REACH = Param(1.2, 0.8, 2.0, harder="down")
SPIN = Param(0.03, 0.0, 0.08, harder="up")

class State:
    bat: Players(Vec2(-6.4, 6.4))
    ball: Vec2(-6.4, 6.4)
    flight: Vec2(-0.8, 0.8)
    curve: Float(-0.1, 0.1) = 0.0
    points: Players(Int(0, 4)) = 0

def reset(s):
    for i in players():
        s.bat[i] = Vec2(-5.5 + 11.0 * i, 0.0)
    s.flight = Vec2(0.5 if chance(0.5) else -0.5, uniform(-0.2, 0.2))

def step(s, acts):
    for i in players():
        side = -1.0 if i == 0 else 1.0
        spot = s.bat[i] + 0.5 * vec(acts[i].move)
        s.bat[i] = Vec2(side * clip(side * spot.x, 2.0, 6.0), clip(spot.y, -4.0, 4.0))
    s.flight += Vec2(0.0, s.curve)
    s.ball += s.flight
    if abs(s.ball.y) > 4.2:
        s.ball = Vec2(s.ball.x, clip(s.ball.y, -4.2, 4.2))
        s.flight = Vec2(s.flight.x, -s.flight.y)
        s.curve = 0.0
    for i in players():
        side = -1.0 if i == 0 else 1.0
        if side * s.flight.x > 0.0 and length(s.ball - s.bat[i]) < REACH:
            s.flight = Vec2(-side * 0.55, 0.25 * (s.ball.y - s.bat[i].y))
            s.curve = SPIN * vec(acts[i].move).y
    if abs(s.ball.x) > 6.2:
        scorer = 0 if s.ball.x > 0.0 else 1
        s.points[scorer] += 1
        reward(0.2, scorer)
        s.ball = Vec2(0.0, uniform(-2.0, 2.0))
        s.flight = Vec2(0.5 if scorer == 1 else -0.5, uniform(-0.2, 0.2))
        s.curve = 0.0
        if s.points[scorer] >= NEED:
            win(scorer)

def view(s):
    bar(Vec2(0.0, -4.5), Vec2(0.0, 4.5), "white")
    disc(s.ball, 0.25, "yellow")
    for i in players():
        disc(s.bat[i], 0.6, i)
