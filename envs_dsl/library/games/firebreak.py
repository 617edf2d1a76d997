"""A front of fire nears: clear trees so that it dies out before the cabin burns, and keep away."""
game = Game(size=(11, 11), max_steps=100, verbs=["gather"], skills=["avoidance", "resource"])

SPREAD = Param(0.15, 0.05, 0.3, harder="up")
FOREST = Param(0.8, 0.5, 0.95, harder="up")
GUTTER = Param(0.1, 0.05, 0.3, harder="down")

class Tile(Enum):
    BARE = Look(".", "brown")
    TREE = Look("T", "green", resource=True)
    FIRE = Look("f", "red", hazard=True)
    CABIN = Look("C", "gold", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.BARE) = Tile.BARE

def reset(s):
    s.board = where(chance_grid(FOREST), Tile.TREE, s.board)
    s.board[Pos(5, 9)] = Tile.CABIN
    s.agent = Pos(5, 7)
    s.board = where(COL == 0, Tile.FIRE, s.board)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.gather:
        s.board = where(disk(s.agent, 1.0) and s.board == Tile.TREE, Tile.BARE, s.board)
    burning = s.board == Tile.FIRE
    fuel = s.board == Tile.TREE or s.board == Tile.CABIN
    caught = fuel and chance_grid(SPREAD * neighbors8(burning))
    s.board = where(burning and chance_grid(GUTTER), Tile.BARE, s.board)
    s.board = where(caught, Tile.FIRE, s.board)
    if burning[s.agent] or not any(s.board == Tile.CABIN):
        lose()
    elif not any(s.board == Tile.FIRE):
        win()
