"""Take crates from the dock and drop them on the left or right half of the lorry so that it never
tips. Lifting takes strength by weight; on the bench you rest. Load enough."""
game = Game(size=(6, 7), max_steps=110, verbs=["take", "drop"], skills=["resource", "manipulation"])

LOAD = Param(8, 4, 14, harder="up")
TIP = Param(4, 3, 6, harder="down")
HEAVY = Param(3, 1, 4, harder="up")

class Tile(Enum):
    YARD = Look(".", "black")
    DOCK = Look("D", "orange", item=True)
    BENCH = Look("b", "cyan", resource=True)
    LEFT_HALF = Look("l", "green", goal=True)
    RIGHT_HALF = Look("r", "blue", goal=True)

class State:
    agent: Pos = Pos(3, 3)
    strength: Int(0, 10) = 8
    crate: Int(0, 4) = 0
    loaded: Int(0, 20) = 0
    tilt: Int(-9, 9) = 0
    waiting: Int(1, 4) = 1
    board: Grid(Tile, outside=Tile.YARD) = Tile.YARD

def reset(s):
    s.board = where(ROW == 0, where(COL < 3, Tile.LEFT_HALF, Tile.RIGHT_HALF), s.board)
    s.board[Pos(0, 3)] = Tile.YARD
    s.board[Pos(5, randint(0, 3))] = Tile.DOCK
    s.board[Pos(5, randint(4, 6))] = Tile.BENCH
    s.waiting = randint(1, HEAVY)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.BENCH:
        s.strength += 2
    if act.take and here == Tile.DOCK and s.crate == 0 and s.strength >= s.waiting:
        s.crate = s.waiting
        s.strength -= s.waiting
        s.waiting = randint(1, HEAVY)
        reward(0.03)
    if act.drop and s.crate > 0 and tagged(here, "goal"):
        s.tilt += s.crate if here == Tile.RIGHT_HALF else -s.crate
        s.loaded += s.crate
        s.crate = 0
        reward(0.06)
    if abs(s.tilt) >= TIP:
        lose()
    elif s.loaded >= LOAD:
        win()
