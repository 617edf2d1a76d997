"""Grain comes along the belt. Walk along your side and turn a gate your way (open): grain that comes
to it runs into your silo. The first with enough grain wins."""
game = Game(size=(7, 9), players=2, max_steps=120, verbs=["open"], skills=["contest", "manipulation"])

NEED = Param(5, 2, 9, harder="up")
FEED = Param(0.4, 0.2, 0.7, harder="down")
REST = Param(3, 1, 6, harder="up")

class Tile(Enum):
    YARD = Look(".", "black")
    BELT = Look("-", "gray")
    GRAIN = Look("g", "gold", item=True)
    NEUTRAL = Look("o", "white", door=True)
    SOUTH = Look("v", "blue", door=True)
    NORTH = Look("^", "orange", door=True)

class State:
    pos: Players(Pos)
    rest: Players(Int(0, 6)) = 0
    grain: Players(Int(0, 9)) = 0
    board: Grid(Tile, outside=Tile.YARD) = Tile.YARD

def reset(s):
    """The belt is row 3; the gates stand in row 2 (above it), seat 0 walks below, seat 1 above."""
    s.board = where(ROW == 3, Tile.BELT, s.board)
    s.board = where(ROW == 2 and COL % 2 == 0 and COL > 1, Tile.NEUTRAL, s.board)
    s.pos[0] = Pos(5, 0)
    s.pos[1] = Pos(1, 0)

def step(s, acts):
    for i in players():
        s.rest[i] -= 1
        way = acts[i].move
        if way == LEFT or way == RIGHT:
            s.pos[i] = try_move(s.pos[i], way)
        gate = Pos(2, s.pos[i].col)
        if acts[i].open and s.rest[i] == 0 and tagged(s.board[gate], "door"):
            s.board[gate] = Tile.SOUTH if i == 0 else Tile.NORTH
            s.rest[i] = REST
    grain = s.board == Tile.GRAIN
    south = grain and shift(s.board == Tile.SOUTH, DOWN)
    north = grain and shift(s.board == Tile.NORTH, DOWN)
    s.grain[0] += count(south)
    s.grain[1] += count(north)
    reward(0.06 * count(south), 0)
    reward(0.06 * count(north), 1)
    moving = shift(grain and not south and not north, RIGHT) or (at(Pos(3, 0)) and chance(FEED))
    s.board = where(ROW == 3, where(moving, Tile.GRAIN, Tile.BELT), s.board)
    if s.grain[0] >= NEED and s.grain[1] >= NEED:
        draw()
    elif s.grain[0] >= NEED:
        win(0)
    elif s.grain[1] >= NEED:
        win(1)
