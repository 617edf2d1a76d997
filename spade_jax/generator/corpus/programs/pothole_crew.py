"""Cracks appear at hidden weak spots and fall in to holes; stepping on either ends your shift. Build
patches the nearest one beside you for one load of tar, fetched at the truck. Patch enough of them
before there are too many holes."""
game = Game(size=(7, 7), max_steps=110, verbs=["build"], skills=["avoidance", "resource"])

NEED = Param(5, 2, 8, harder="up")
WEAK = Param(0.35, 0.2, 0.5, harder="up")
FORM = Param(0.02, 0.012, 0.035, harder="up")
MANY = Param(6, 4, 9, harder="down")

class Tile(Enum):
    ROAD = Look(".", "darkgray")
    CRACK = Look("x", "orange", hazard=True)
    HOLE = Look("O", "red", hazard=True)
    PATCH = Look("p", "black")
    TRUCK = Look("T", "yellow", tool=True)

class State:
    agent: Pos = Pos(3, 3)
    tar: Int(0, 3) = 2
    patched: Int(0, 8) = 0
    weak: Hidden(Grid(Bool)) = False
    board: Grid(Tile) = Tile.ROAD

def reset(s):
    s.weak = chance_grid(WEAK)
    s.board[random_cell(not disk(s.agent, 1.5))] = Tile.TRUCK
    s.board = where(s.weak and s.board == Tile.ROAD and not at(s.agent) and chance_grid(0.15), Tile.CRACK, s.board)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.TRUCK:
        s.tar = 3
    bad = s.board == Tile.CRACK or s.board == Tile.HOLE
    near = bad and disk(s.agent, 1.0)
    if bad[s.agent]:
        lose()
    elif act.build and s.tar > 0 and any(near):
        spot = nearest(near, s.agent)
        s.board[spot] = Tile.PATCH
        s.weak[spot] = False
        s.tar -= 1
        s.patched += 1
        reward(0.1)
    falls = s.board == Tile.CRACK and chance_grid(0.08)
    opens = s.weak and s.board == Tile.ROAD and not at(s.agent) and chance_grid(FORM)
    s.board = where(falls, Tile.HOLE, s.board)
    s.board = where(opens, Tile.CRACK, s.board)
    if s.patched >= NEED:
        win()
    elif count(s.board == Tile.HOLE) >= MANY:
        lose()
