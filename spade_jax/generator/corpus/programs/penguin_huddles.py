"""In the storm you lose warmth at every step. A huddle (orange) warms you once and breaks up; others form
elsewhere for a while. At dawn the ice opens: reach the water before you freeze."""
game = Game(size=(9, 9), max_steps=80, skills=["navigation", "resource"])

DAWN = Param(32, 24, 50, harder="up")
WARMTH = Param(12.0, 9.0, 18.0, harder="down")
BREAKS = Param(0.05, 0.0, 0.12, harder="up")
BERGS = Param(0.12, 0.0, 0.25, harder="up")

class Tile(Enum):
    ICE = Look(".", "white")
    BERG = Look("#", "gray", solid=True)
    HUDDLE = Look("h", "orange", resource=True)
    WATER = Look("~", "blue", goal=True)

class State:
    agent: Pos = Pos(4, 4)
    warmth: Float(0.0, 24.0) = 18.0
    board: Grid(Tile, outside=Tile.BERG) = Tile.ICE

def reset(s):
    s.board = where(chance_grid(BERGS) and not BORDER and not at(s.agent), Tile.BERG, s.board)
    s.board = where(neighbors4(s.board == Tile.BERG) > 1, Tile.ICE, s.board)
    s.agent = random_cell(s.board == Tile.ICE and not BORDER)
    s.board[random_cell(s.board == Tile.ICE and disk(s.agent, 4.0) and not at(s.agent))] = Tile.HUDDLE

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.warmth -= 1.0
    if s.board[s.agent] == Tile.HUDDLE:
        s.board[s.agent] = Tile.ICE
        s.warmth += WARMTH
        reward(0.08)
    s.board = where(s.board == Tile.HUDDLE and chance_grid(BREAKS), Tile.ICE, s.board)
    if not any(s.board == Tile.HUDDLE) and chance(0.5):
        s.board[random_cell(s.board == Tile.ICE and disk(s.agent, 5.0) and not disk(s.agent, 1.5))] = Tile.HUDDLE
    if s.t == DAWN:
        s.board[random_cell(s.board == Tile.ICE and BORDER and not at(s.agent))] = Tile.WATER
    if s.board[s.agent] == Tile.WATER:
        win()
    elif s.warmth <= 0.0:
        lose()
