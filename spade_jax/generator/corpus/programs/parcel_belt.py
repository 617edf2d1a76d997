"""Parcels come down the belt. Stand beside it and push (walk right into) a parcel when it is level with
the chute of its colour. Wrong chutes and parcels that drop off the end are mistakes."""
game = Game(size=(7, 6), max_steps=90, skills=["manipulation"])

NEED = Param(3, 1, 6, harder="up")
SPEED = Param(0.35, 0.2, 0.7, harder="up")
MISTAKES = Param(4, 2, 6, harder="down")

class Tile(Enum):
    BELT = Look("|", "darkgray", solid=True)
    FLOOR = Look(".", "black")
    WALL = Look("#", "brown", solid=True)
    RED = Look("r", "red", solid=True, item=True)
    BLUE = Look("b", "blue", solid=True, item=True)
    RED_CHUTE = Look("R", "red", solid=True, goal=True)
    BLUE_CHUTE = Look("B", "blue", solid=True, goal=True)

class State:
    agent: Pos = Pos(3, 1)
    sorted: Int(0, 6) = 0
    mistakes: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(COL == 3, Tile.BELT, s.board)
    s.board = where(COL > 3, Tile.WALL, s.board)
    s.board[Pos(randint(1, 3), 4)] = Tile.RED_CHUTE
    s.board[Pos(randint(4, 5), 4)] = Tile.BLUE_CHUTE
    if chance(0.5):
        s.board = where(s.board == Tile.RED_CHUTE, Tile.BLUE_CHUTE,
                        where(s.board == Tile.BLUE_CHUTE, Tile.RED_CHUTE, s.board))
    s.board[Pos(1, 3)] = pick(Tile.RED, Tile.BLUE)
    s.agent = Pos(randint(1, 5), 1)

def step(s, act):
    target = s.agent + act.move
    parcel = s.board[target]
    if act.move == RIGHT and (parcel == Tile.RED or parcel == Tile.BLUE):
        chute = s.board[target + RIGHT]
        right_one = Tile.RED_CHUTE if parcel == Tile.RED else Tile.BLUE_CHUTE
        if chute == right_one:
            s.board[s.agent + act.move] = Tile.BELT
            s.sorted += 1
            reward(0.15)
        elif chute != Tile.WALL:
            s.board[s.agent + act.move] = Tile.BELT
            s.mistakes += 1
            reward(-0.05)
    s.agent = try_move(s.agent, act.move)
    if chance(SPEED):
        if s.board[Pos(6, 3)] != Tile.BELT:
            s.mistakes += 1
        s.board = where(COL == 3, shift(s.board, DOWN), s.board)
        if chance(0.35):
            s.board[Pos(0, 3)] = pick(Tile.RED, Tile.BLUE)
    if s.sorted >= NEED:
        win()
    elif s.mistakes >= MISTAKES:
        lose()
