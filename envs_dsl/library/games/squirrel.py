"""Carry nuts to your nest before winter: every step tires you, a heavy load more; nuts feed you."""
game = Game(size=(9, 9), max_steps=120, verbs=["take", "eat"], skills=["resource", "navigation"])

NEED = Param(5, 2, 9, harder="up")
NUTS = Param(0.15, 0.08, 0.3, harder="down")
WEIGHT = Param(0.5, 0.0, 1.0, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    NUT = Look("n", "brown", resource=True)
    NEST = Look("N", "gold", goal=True)

class State:
    agent: Pos
    nest: Pos
    strength: Float(0.0, 40.0) = 30.0
    load: Int(0, 3) = 0
    store: Int(0, 9) = 0
    board: Grid(Tile, outside=Tile.GRASS) = Tile.GRASS

def reset(s):
    s.nest = random_cell(not BORDER)
    s.agent = s.nest
    s.board = where(chance_grid(NUTS), Tile.NUT, s.board)
    for k in range(6):
        s.board[random_cell(s.board == Tile.GRASS)] = Tile.NUT
    s.board[s.nest] = Tile.NEST

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.move != STAY:
        s.strength -= 1.0 + WEIGHT * s.load
    if act.take and s.board[s.agent] == Tile.NUT and s.load < 3:
        s.board[s.agent] = Tile.GRASS
        s.load += 1
    if act.eat and s.load > 0:
        s.load -= 1
        s.strength += 12.0
    if s.agent == s.nest:
        s.store += s.load
        reward(0.1 * s.load)
        s.load = 0
    if s.store >= NEED:
        win()
    if s.strength <= 0.0:
        lose()
