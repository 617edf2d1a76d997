"""Push the sofa, two cells long, into the room on the right. Pushed along it slides; pushed from the
side, the end that you push swings round the other. Walk into the door to open it first."""
game = Game(size=(7, 8), max_steps=70, skills=["puzzle", "manipulation"])

SKEW = Param(1, 0, 2, harder="up")
UPRIGHT = Param(0.5, 0.0, 1.0, harder="up")
LOCKED = Param(0.5, 0.0, 1.0, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DOOR = Look("D", "brown", solid=True, door=True)
    ROOM = Look("_", "green", goal=True)

class State:
    agent: Pos
    head: Pos
    foot: Pos
    best: Int(0, 8) = 2
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def free(s, p):
    return not solid(s.board[p])

def reset(s):
    s.board = where(BORDER or COL == 4, Tile.WALL, s.board)
    s.board = where(not BORDER and COL > 4, Tile.ROOM, s.board)
    gap = Pos(3 + SKEW * pick(-1, 1), 4)
    s.board[gap] = Tile.DOOR if chance(LOCKED) else Tile.FLOOR
    s.head = Pos(3, 2)
    s.foot = Pos(3, 3)
    if chance(UPRIGHT):
        s.foot = Pos(3 + pick(-1, 1), 2)
    s.agent = random_cell(s.board == Tile.FLOOR and COL == 1)

def step(s, act):
    d = act.move
    target = s.agent + d
    other = s.foot if target == s.head else s.head
    stuck = False
    if d != STAY and (target == s.head or target == s.foot):
        if target + d == other:
            stuck = not free(s, other + d)
            if not stuck:
                s.head = s.head + d
                s.foot = s.foot + d
        else:
            stuck = not (free(s, target + d) and free(s, other + d))
            if not stuck and target == s.head:
                s.head = other + d
            elif not stuck:
                s.foot = other + d
    elif s.board[target] == Tile.DOOR:
        s.board[target] = Tile.FLOOR
        reward(0.1)
    if not stuck and free(s, target):
        s.agent = target
    reached = min(s.head.col, s.foot.col)
    if reached > s.best:
        reward(0.15 * (reached - s.best))
        s.best = reached
    if reached > 4:
        win()
