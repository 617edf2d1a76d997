"""Do not let the ball pass your paddle; struck with the paddle's end it flies off at an angle."""
game = Game(size=(9, 13), players=2, max_steps=300, skills=["contest", "avoidance"])

NEED = Param(2, 1, 5, harder="up")
REACH = Param(1, 0, 2, harder="down")

class State:
    paddle: Players(Pos)
    ball: Pos
    dx: Int(-1, 1) = 1
    dy: Int(-1, 1) = 0
    points: Players(Int(0, 5)) = 0

def reset(s):
    for i in players():
        s.paddle[i] = Pos(4, 12 * i)
    s.ball = Pos(randint(1, 7), 6)
    s.dx = 1 if chance(0.5) else -1
    s.dy = randint(-1, 1)

def step(s, acts):
    for i in players():
        if acts[i].move == UP or acts[i].move == DOWN:
            s.paddle[i] = try_move(s.paddle[i], acts[i].move)
    if not inside(Pos(s.ball.row + s.dy, s.ball.col)):
        s.dy = -s.dy
    s.ball = Pos(s.ball.row + s.dy, s.ball.col + s.dx)
    for i in players():
        if s.ball.col == s.paddle[i].col:
            off = s.ball.row - s.paddle[i].row
            if abs(off) <= REACH:
                s.dx = -s.dx
                s.dy = sign(off)
            else:
                s.points[opponent(i)] += 1
                reward(0.2, opponent(i))
                s.ball = Pos(randint(1, 7), 6)
                s.dy = randint(-1, 1)
                if s.points[opponent(i)] >= NEED:
                    win(opponent(i))
