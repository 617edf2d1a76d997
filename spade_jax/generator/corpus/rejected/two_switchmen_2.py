"""A cart runs along the tracks from the left. At each switch it turns up, down or goes straight as
the lever says: the upper switchman can only raise levers, the lower one only lower them (use).
Bring it to the station; rocks and the wrong end wreck it."""
game = Game(size=(7, 10), players=2, max_steps=60, verbs=["use"], skills=["cooperation", "puzzle"])

PACE = Param(4, 2, 6, harder="down")
ROCKS = Param(2, 0, 5, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    TRACK = Look("-", "brown")
    STRAIGHT = Look("0", "gray", tool=True)
    UPWARD = Look("u", "cyan", tool=True)
    DOWNWARD = Look("d", "orange", tool=True)
    ROCK = Look("o", "red", hazard=True)
    STATION = Look("S", "green", goal=True)

class Cart(Row):
    pos: Pos

class State:
    pos: Players(Pos)
    board: Grid(Tile, outside=Tile.GRASS) = Tile.GRASS
    carts: Table(Cart, 1)

def reset(s):
    """Switch columns 2, 4 and 6; each turns the cart by at most one row."""
    s.board = where(ROW > 0 and ROW < 6, Tile.TRACK, s.board)
    s.board = where((ROW == 0 or ROW == 6) and (COL == 2 or COL == 4 or COL == 6), Tile.STRAIGHT, s.board)
    s.board[Pos(pick(1, 2, 4, 5), 9)] = Tile.STATION
    for k in range(5):
        if k < ROCKS:
            s.board[random_cell(s.board == Tile.TRACK and COL > 2 and COL < 8 and ROW != 3)] = Tile.ROCK
    spawn(s.carts, pos=Pos(3, 0))
    s.pos[0] = Pos(0, 3)
    s.pos[1] = Pos(6, 3)

def step(s, acts):
    """Both rows of lever lamps show the same: what the lever of that column says."""
    for i in players():
        way = acts[i].move
        if way == LEFT or way == RIGHT:
            s.pos[i] = try_move(s.pos[i], way)
        lever = s.board[s.pos[i]]
        if acts[i].use and tagged(lever, "tool"):
            pressed = COL == s.pos[i].col and (ROW == 0 or ROW == 6)
            turned = Tile.UPWARD if i == 0 else Tile.DOWNWARD
            opposed = Tile.DOWNWARD if i == 0 else Tile.UPWARD
            if lever == opposed:
                turned = Tile.STRAIGHT
            s.board = where(pressed, turned, s.board)
    for c in s.carts:
        if (s.t + 1) % PACE == 0:
            sign_here = s.board[Pos(0, c.pos.col)]
            rows = -1 if sign_here == Tile.UPWARD else 1 if sign_here == Tile.DOWNWARD else 0
            c.pos = Pos(clip(c.pos.row + rows, 1, 5), c.pos.col + 1)
            reward(0.02)
        if s.board[c.pos] == Tile.STATION:
            win()
        elif s.board[c.pos] == Tile.ROCK or c.pos.col == 9:
            lose()
