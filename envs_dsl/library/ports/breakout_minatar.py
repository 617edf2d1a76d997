"""Keep the ball in play with the paddle and break the bricks."""
game = Game(size=(10, 10), max_steps=1000, skills=["avoidance"])

# gymnax Breakout-MinAtar. STAY, LEFT and RIGHT are its actions 0, 1 and 2.
# A brick pays 1/128 where the original pays 1; a lost ball ends the episode without a verdict.

# Bricks that win. The original has no win: 1000, more than the steps allow, plays it as it is.
GOAL = Param(1000, 5, 1000, harder="up")

class State:
    paddle: Pos
    ball: Pos
    trail: Pos
    dx: Int(-1, 1)
    dy: Int(-1, 1)
    struck: Bool = False
    broken: Int(0, 1000) = 0
    left: Int(0, 30) = 30
    bricks: Grid(Bool)

def reset(s):
    s.paddle = Pos(9, 4)
    s.ball = Pos(3, 0)
    s.dx = 1
    s.dy = 1
    if chance(0.5):
        s.ball = Pos(3, 9)
        s.dx = -1
    s.trail = s.ball
    s.bricks = ROW >= 1 and ROW <= 3

def step(s, act):
    beside = s.paddle + act.move
    if beside.row == 9 and inside(beside):
        s.paddle = beside
    s.trail = s.ball
    row = s.ball.row + s.dy
    col = s.ball.col + s.dx
    if col < 0 or col > 9:
        col = s.ball.col
        s.dx = -s.dx
    if row < 0:
        row = 0
        s.dy = -s.dy
    hit = s.bricks[Pos(row, col)]
    if hit and not s.struck:
        s.bricks = s.bricks and not at(Pos(row, col))
        s.left -= 1
        s.broken += 1
        row = s.ball.row
        s.dy = -s.dy
        reward(0.0078125)
        if s.broken >= GOAL:
            win()
    elif row == 9:
        if s.left == 0:
            s.bricks = ROW >= 1 and ROW <= 3
            s.left = 30
        # The paddle turns a ball that came from above it straight back up; one that comes to it
        # from the side flies back the way it came.
        row = s.ball.row
        if s.ball.col == s.paddle.col:
            s.dy = -s.dy
        elif col == s.paddle.col:
            s.dx = -s.dx
            s.dy = -s.dy
        else:
            row = 9
            draw()
    s.struck = hit
    s.ball = Pos(row, col)

def view(s):
    disc(Vec2(s.ball.col - 4.5, s.ball.row - 4.5), 0.3, "white")
    ring(Vec2(s.trail.col - 4.5, s.trail.row - 4.5), 0.2, "gray")
