"""Move the paddle under the falling ball before it lands."""
game = Game(size=(10, 5), max_steps=1000, skills=["avoidance"])

# gymnax Catch-bsuite. LEFT, STAY and RIGHT are its actions 0, 1 and 2.

class State:
    paddle: Pos
    ball: Pos

def reset(s):
    s.paddle = Pos(9, 2)
    s.ball = Pos(0, randint(0, 4))

def step(s, act):
    beside = s.paddle + act.move
    if beside.row == 9 and inside(beside):
        s.paddle = beside
    s.ball += DOWN
    if s.ball.row == 9:
        if s.ball == s.paddle:
            win()
        else:
            lose()

def view(s):
    disc(Vec2(s.ball.col - 2.0, s.ball.row - 4.5), 0.4, "gold")
