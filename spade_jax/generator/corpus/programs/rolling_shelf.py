"""Two pickers stand on either side of a shelf that rolls on and changes. Each take the good of the
own order (1 red, 2 green, 3 blue) from the shelf before you; three wrong picks close the shop."""
game = Game(size=(5, 6), players=2, max_steps=70, verbs=["take"], skills=["cooperation", "manipulation"])

ORDERS = Param(3, 1, 5, harder="up")
PERIOD = Param(5, 2, 9, harder="down")
WRONG = Param(3, 2, 6, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    RED = Look("r", "red", solid=True, item=True)
    GREEN = Look("g", "green", solid=True, item=True)
    BLUE = Look("b", "blue", solid=True, item=True)
    BARE = Look("_", "gray", solid=True)

class State:
    pos: Players(Pos)
    want: Players(Int(0, 3)) = 0
    orders: Int(0, 5) = 0
    wrong: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.BARE) = Tile.FLOOR

def kind(tile):
    return 1 if tile == Tile.RED else 2 if tile == Tile.GREEN else 3 if tile == Tile.BLUE else 0

def reset(s):
    s.board = where(ROW == 2, pick_grid(Tile.RED, Tile.GREEN, Tile.BLUE), s.board)
    for i in players():
        s.pos[i] = Pos(1 + 2 * i, randint(0, 5))
        s.want[i] = randint(1, 3)

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        front = Pos(2, s.pos[i].col)
        good = kind(s.board[front])
        if acts[i].take and adjacent(s.pos[i], front) and good > 0 and s.want[i] > 0:
            if good == s.want[i]:
                s.want[i] = 0
                s.board[front] = Tile.BARE
                reward(0.1)
            else:
                s.wrong += 1
                reward(-0.05)
    if s.want[0] == 0 and s.want[1] == 0:
        s.orders += 1
        for i in players():
            s.want[i] = randint(1, 3)
    if s.t % PERIOD == 0:
        s.board = where(ROW == 2, roll(s.board, RIGHT), s.board)
        renewed = ROW == 2 and (COL == 0 or s.board == Tile.BARE)
        s.board = where(renewed, pick_grid(Tile.RED, Tile.GREEN, Tile.BLUE), s.board)
    if s.orders >= ORDERS:
        win()
    elif s.wrong >= WRONG:
        lose()
