"""You see for a moment under which cushions the keys are. Then slide over the waxed floor in your
socks onto those cushions, and onto no other."""
game = Game(size=(9, 9), max_steps=70, skills=["memory", "continuous"])

KEYS = Param(1, 1, 3, harder="up")
SHOW = Param(5, 1, 8, harder="down")
WAX = Param(0.6, 0.3, 0.85, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    CUSHION = Look("c", "purple", marker=True)
    KEY = Look("k", "gold", goal=True)

class State:
    agent: Vec2(-4.4, 4.4)
    speed: Vec2(-0.9, 0.9)
    found: Int(0, 3) = 0
    keys: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR

def reset(s):
    spots = (ROW == 1 or ROW == 7) and (COL == 1 or COL == 7 or COL == 4)
    s.board = where(spots, Tile.CUSHION, s.board)
    for k in range(3):
        if k < KEYS:
            s.keys[random_cell(spots and not s.keys)] = True
    s.board = where(s.keys, Tile.KEY, s.board)

def step(s, act):
    if s.t + 1 >= SHOW:
        s.board = where(s.board == Tile.KEY, Tile.CUSHION, s.board)
        s.speed = WAX * s.speed + 0.2 * vec(act.move)
        s.agent += s.speed
    here = cell(s.agent)
    if s.board[here] == Tile.CUSHION:
        if s.keys[here]:
            s.board[here] = Tile.FLOOR
            s.keys[here] = False
            s.found += 1
            reward(0.2)
            if s.found >= KEYS:
                win()
        else:
            lose()

def view(s):
    disc(s.agent, 0.4, 0)
