"""Bounce the ball off your paddle to break the bricks above; a ball that you miss is lost."""
game = Game(size=(10, 9), max_steps=250, skills=["avoidance"])

NEED = Param(6, 1, 27, harder="up")
REACH = Param(1, 0, 2, harder="down")

class Tile(Enum):
    SPACE = Look(".", "black")
    BRICK = Look("#", "orange", solid=True, resource=True)
    PADDLE = Look("=", "white", solid=True, tool=True)

class State:
    paddle: Pos = Pos(9, 4)
    ball: Pos
    dx: Int(-1, 1) = 1
    dy: Int(-1, 1) = 1
    broken: Int(0, 27) = 0
    board: Grid(Tile, outside=Tile.SPACE) = Tile.SPACE

def reset(s):
    s.ball = Pos(4, randint(0, 8))
    s.dx = 1 if chance(0.5) else -1
    s.board = where(rect(Pos(1, 0), Pos(3, 8)), Tile.BRICK, s.board)

def step(s, act):
    column = s.paddle.col + (1 if act.move == RIGHT else 0) - (1 if act.move == LEFT else 0)
    s.paddle = Pos(9, clip(column, 0, 8))
    if not inside(Pos(s.ball.row, s.ball.col + s.dx)):
        s.dx = -s.dx
    if s.ball.row == 0:
        s.dy = 1
    goal = Pos(s.ball.row + s.dy, s.ball.col + s.dx)
    if s.board[goal] == Tile.BRICK:
        s.board[goal] = Tile.SPACE
        s.dy = -s.dy
        s.broken += 1
        reward(0.05)
    elif goal.row == 9 and abs(goal.col - s.paddle.col) <= REACH:
        s.dy = -1
        s.dx = -s.dx if chance(0.5) else s.dx
    else:
        s.ball = goal
    s.board = where(ROW == 9, Tile.SPACE, s.board)
    s.board = where(ROW == 9 and abs(COL - s.paddle.col) <= REACH, Tile.PADDLE, s.board)
    if s.ball.row == 9:
        lose()
    if s.broken >= NEED:
        win()
