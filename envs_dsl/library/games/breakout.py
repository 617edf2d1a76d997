"""Bounce the ball off your paddle to break the bricks above; a ball that you miss is lost."""
game = Game(size=(9, 9), max_steps=250, skills=["avoidance"])

NEED = Param(10, 1, 27, harder="up")
REACH = Param(1, 0, 2, harder="down")

class Tile(Enum):
    SPACE = Look(".", "black")
    BRICK = Look("#", "orange", solid=True, resource=True)
    PADDLE = Look("=", "white", solid=True, tool=True)
    BALL = Look("o", "yellow", item=True)

class State:
    paddle: Int(0, 8) = 4
    ball: Hidden(Pos)
    dx: Int(-1, 1) = 1
    dy: Int(-1, 1) = 1
    broken: Int(0, 27) = 0
    board: Grid(Tile, outside=Tile.SPACE) = Tile.SPACE

def reset(s):
    s.ball = Pos(4, randint(0, 8))
    s.dx = 1 if chance(0.5) else -1
    s.board = where(rect(Pos(1, 0), Pos(3, 8)), Tile.BRICK, s.board)
    s.board = where(ROW == 8 and abs(COL - s.paddle) <= REACH, Tile.PADDLE, s.board)
    s.board[s.ball] = Tile.BALL

def step(s, act):
    """The ball leaves a paddle's end to that side; from the middle it goes on as it came."""
    s.paddle += 1 if act.move == RIGHT else -1 if act.move == LEFT else 0
    s.board = where(ROW == 8 or at(s.ball), Tile.SPACE, s.board)
    if not inside(Pos(s.ball.row, s.ball.col + s.dx)):
        s.dx = -s.dx
    if s.ball.row == 0:
        s.dy = 1
    ahead = Pos(s.ball.row + s.dy, s.ball.col + s.dx)
    off = ahead.col - s.paddle
    if s.board[ahead] == Tile.BRICK:
        s.board[ahead] = Tile.SPACE
        s.dy = -s.dy
        s.broken += 1
        reward(0.05)
    elif ahead.row == 8 and abs(off) <= REACH:
        s.dy = -1
        s.dx = s.dx if off == 0 else sign(off)
    else:
        s.ball = ahead
    s.board = where(ROW == 8 and abs(COL - s.paddle) <= REACH, Tile.PADDLE, s.board)
    s.board[s.ball] = Tile.BALL
    if s.ball.row == 8:
        lose()
    if s.broken >= NEED:
        win()
