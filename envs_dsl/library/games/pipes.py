"""Turn the pipes so that water from the upper left runs out at the lower right."""
game = Game(size=(5, 5), max_steps=120, verbs=["flip"], skills=["puzzle", "manipulation"])

LOOSE = Param(0.5, 0.1, 1.0, harder="up")

class Pipe(Enum):
    ACROSS = Look("-", "gray")
    DOWNWARD = Look("|", "gray")
    UP_RIGHT = Look("L", "white")
    DOWN_RIGHT = Look("r", "white")
    DOWN_LEFT = Look("7", "white")
    UP_LEFT = Look("J", "white")

class State:
    cursor: Pos = Pos(0, 0)
    board: Grid(Pipe, outside=Pipe.ACROSS) = Pipe.ACROSS
    wet: Grid(Bool) = False

def turned(board):
    straight = where(board == Pipe.ACROSS, Pipe.DOWNWARD, Pipe.ACROSS)
    right = where(board == Pipe.UP_RIGHT, Pipe.DOWN_RIGHT, Pipe.DOWN_LEFT)
    left = where(board == Pipe.DOWN_LEFT, Pipe.UP_LEFT, Pipe.UP_RIGHT)
    bend = where(board == Pipe.UP_RIGHT or board == Pipe.DOWN_RIGHT, right, left)
    return where(board == Pipe.ACROSS or board == Pipe.DOWNWARD, straight, bend)

def flow(board):
    """The cells that water reaches: it runs on wherever two open ends meet."""
    up = board == Pipe.DOWNWARD or board == Pipe.UP_RIGHT or board == Pipe.UP_LEFT
    down = board == Pipe.DOWNWARD or board == Pipe.DOWN_RIGHT or board == Pipe.DOWN_LEFT
    left = board == Pipe.ACROSS or board == Pipe.DOWN_LEFT or board == Pipe.UP_LEFT
    right = board == Pipe.ACROSS or board == Pipe.UP_RIGHT or board == Pipe.DOWN_RIGHT
    wet = at(Pos(0, 0)) and left
    for k in range(25):
        wet = wet or (up and shift(wet and down, DOWN)) or (down and shift(wet and up, UP))
        wet = wet or (left and shift(wet and right, RIGHT)) or (right and shift(wet and left, LEFT))
    return wet

def reset(s):
    """A way through, among any pipes; then what is loose is turned."""
    s.board = pick_grid(Pipe.ACROSS, Pipe.UP_RIGHT)
    spot = Pos(0, 0)
    came = RIGHT
    for k in range(9):
        on_down = spot.row < 4 and (spot.col == 4 or chance(0.5))
        go = DOWN if on_down else RIGHT
        bend = Pipe.UP_RIGHT if go == RIGHT else Pipe.DOWN_LEFT
        straight = Pipe.ACROSS if go == RIGHT else Pipe.DOWNWARD
        s.board[spot] = straight if go == came else bend
        spot = spot + go
        came = go
    for k in range(3):
        s.board = where(chance_grid(LOOSE), turned(s.board), s.board)
    if flow(s.board)[Pos(0, 0)]:
        s.board = where(at(Pos(0, 0)), turned(s.board), s.board)

def step(s, act):
    s.cursor = try_move(s.cursor, act.move)
    if act.flip:
        s.board = where(at(s.cursor), turned(s.board), s.board)
    before = count(s.wet)
    s.wet = flow(s.board)
    reward(0.02 * (count(s.wet) - before))
    last = s.board[Pos(4, 4)]
    out = last == Pipe.ACROSS or last == Pipe.UP_RIGHT or last == Pipe.DOWN_RIGHT
    if s.wet[Pos(4, 4)] and out:
        win()
