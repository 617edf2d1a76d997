"""Flip pours the colour under you into the upper left region: make the board one colour."""
game = Game(size=(6, 6), max_steps=150, verbs=["flip"], skills=["puzzle"])

POURS = Param(14, 8, 25, harder="down")

class Paint(Enum):
    RED = Look("r", "red")
    GOLD = Look("y", "gold")
    GREEN = Look("g", "green")
    BLUE = Look("b", "blue")

class State:
    cursor: Pos = Pos(2, 2)
    left: Int(0, 25) = 0
    board: Grid(Paint, outside=Paint.RED) = Paint.RED

def reset(s):
    s.left = POURS
    s.board = pick_grid(Paint.RED, Paint.GOLD, Paint.GREEN, Paint.BLUE)

def region(board):
    return flood(at(Pos(0, 0)), board == board[Pos(0, 0)], 36)

def step(s, act):
    s.cursor = try_move(s.cursor, act.move)
    if act.flip and s.board[s.cursor] != s.board[Pos(0, 0)]:
        before = count(region(s.board))
        s.board = where(region(s.board), s.board[s.cursor], s.board)
        reward(0.01 * (count(region(s.board)) - before))
        s.left -= 1
    if all(region(s.board)):
        win()
    elif s.left == 0:
        lose()
