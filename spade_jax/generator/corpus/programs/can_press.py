"""Cans of three sizes roll by in the open, then into the covered press: choose the die of the
size of the first can (left, up, right: small, middle, large) and use the press. A wrong die jams it."""
game = Game(size=(3, 5), max_steps=60, verbs=["use"], skills=["memory"])

CANS = Param(3, 2, 6, harder="up")
SHOW = Param(10, 4, 16, harder="down")

class Tile(Enum):
    BELT = Look(".", "black")
    COVER = Look("#", "gray", solid=True)
    SMALL = Look("s", "cyan", item=True)
    MIDDLE = Look("m", "orange", item=True)
    LARGE = Look("l", "red", item=True)

class State:
    die: Int(0, 2) = 1
    sizes: Hidden(Array(Int(0, 2), 6))
    pressed: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.COVER) = Tile.BELT

def look(size):
    return Tile.SMALL if size == 0 else Tile.MIDDLE if size == 1 else Tile.LARGE

def reset(s):
    for k in range(6):
        s.sizes[k] = randint(0, 2)
    for k in range(6):
        if k < CANS:
            s.board[Pos(1 + k // 5, k % 5)] = look(s.sizes[k])
    s.board = where(ROW == 0, Tile.COVER, s.board)

def step(s, act):
    if s.t >= SHOW:
        s.board = where(ROW > 0, Tile.COVER, s.board)
        if act.use:
            if s.die == s.sizes[s.pressed]:
                s.pressed += 1
                reward(0.1)
            else:
                lose()
    if act.move == LEFT:
        s.die = 0
    elif act.move == UP:
        s.die = 1
    elif act.move == RIGHT:
        s.die = 2
    if s.pressed >= CANS:
        win()
