"""Carry the crank to the upper gate to let the river into the basin, and to the lower gate to
drain it. If river or basin ever runs over, all is lost; when the wave has passed, you win."""
game = Game(size=(6, 8), max_steps=90, verbs=["use", "take"], skills=["manipulation", "resource"])

RAIN = Param(0.045, 0.02, 0.07, harder="up")
WAVE = Param(50, 25, 75, harder="up")
FLOW = Param(0.12, 0.08, 0.2, harder="down")

class Tile(Enum):
    BANK = Look(".", "darkgreen")
    WATER = Look("~", "blue", solid=True)
    CRANK = Look("c", "gold", item=True, tool=True)
    SHUT = Look("X", "brown", solid=True, door=True)
    OPEN = Look("=", "cyan", solid=True, door=True)

class State:
    agent: Pos = Pos(3, 4)
    river: Float(0.0, 1.0) = 0.4
    basin: Float(0.0, 1.0) = 0.2
    crank: Bool = False
    passed: Bool = False
    board: Grid(Tile, outside=Tile.WATER) = Tile.BANK

def reset(s):
    s.river = uniform(0.3, 0.5)
    s.board = where(ROW == 0 or ROW == 5, Tile.WATER, s.board)
    s.board[Pos(0, randint(0, 3))] = Tile.SHUT
    s.board[Pos(5, randint(4, 7))] = Tile.SHUT
    s.board[random_cell(s.board == Tile.BANK and not at(s.agent))] = Tile.CRANK

def step(s, act):
    """The crank turns the gate beside you; it stays with you once taken."""
    s.agent = try_move(s.agent, act.move)
    if act.take and s.board[s.agent] == Tile.CRANK:
        s.board[s.agent] = Tile.BANK
        s.crank = True
        reward(0.1)
    near = disk(s.agent, 1.0)
    if act.use and s.crank:
        turned = where(s.board == Tile.SHUT, Tile.OPEN, Tile.SHUT)
        s.board = where(near and (s.board == Tile.SHUT or s.board == Tile.OPEN), turned, s.board)
    if s.t < WAVE:
        s.river += RAIN * uniform(0.0, 1.0)
    else:
        s.passed = True
    if any(s.board == Tile.OPEN and ROW == 0):
        poured = min(FLOW, s.river)
        s.river -= poured
        s.basin += 0.6 * poured
    if any(s.board == Tile.OPEN and ROW == 5):
        s.basin -= FLOW
    if s.river >= 1.0 or s.basin >= 1.0:
        lose()
    elif s.passed:
        win()
