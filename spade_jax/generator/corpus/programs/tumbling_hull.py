"""The ship tumbles: each step both drift the way that the ship falls, unless they brace at a rail.
Patch the holes (use); each hole drains the oxygen. Two working apart are in time."""
game = Game(size=(7, 7), players=2, max_steps=90, verbs=["use"], skills=["cooperation"])

HOLES = Param(4, 2, 7, harder="up")
OXYGEN = Param(100.0, 60.0, 160.0, harder="down")
TUMBLE = Param(0.25, 0.0, 0.6, harder="up")

class Tile(Enum):
    DECK = Look(".", "black")
    RAIL = Look("=", "gray", tool=True)
    HOLE = Look("o", "red", goal=True)
    PATCH = Look("p", "darkgray")

class State:
    pos: Players(Pos)
    oxygen: Float(0.0, 160.0) = 100.0
    down: Dir = DOWN
    board: Grid(Tile, outside=Tile.DECK) = Tile.DECK

def reset(s):
    s.pos[0] = Pos(3, 1)
    s.pos[1] = Pos(3, 5)
    s.board = where(ROW % 3 == 0 and COL % 2 == 1, Tile.RAIL, s.board)
    for k in range(7):
        if k < HOLES:
            s.board[random_cell(s.board == Tile.DECK)] = Tile.HOLE
    s.oxygen = OXYGEN

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        here = s.board[s.pos[i]]
        if acts[i].use and here == Tile.HOLE:
            s.board[s.pos[i]] = Tile.PATCH
            reward(0.12)
        if here != Tile.RAIL and chance(TUMBLE) and not acts[i].use:
            s.pos[i] = try_move(s.pos[i], s.down)
    if s.t % 8 == 7:
        s.down = turn_right(s.down)
    s.oxygen -= 0.5 * count(s.board == Tile.HOLE)
    if not any(s.board == Tile.HOLE):
        win()
    elif s.oxygen <= 0.0:
        lose()
