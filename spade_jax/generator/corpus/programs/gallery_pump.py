"""Your pump raft glides through a flooded gallery and sucks up the water around it. Plug the leaks
(use) and dry every corner; if the water takes the whole gallery you have lost."""
game = Game(size=(8, 8), max_steps=110, verbs=["use"], skills=["continuous"])

LEAKS = Param(2, 1, 4, harder="up")
SEEP = Param(0.03, 0.01, 0.08, harder="up")
SUCK = Param(1.6, 1.1, 2.2, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    LEAK = Look("o", "red", goal=True)
    PLUG = Look("=", "gray")

class State:
    raft: Vec2(-3.9, 3.9)
    drift: Vec2(-0.9, 0.9)
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    water: Grid(Bool) = False

def reset(s):
    s.raft = Vec2(uniform(-3.0, 3.0), uniform(-3.0, 3.0))
    for k in range(4):
        if k < LEAKS:
            s.board[random_cell(s.board == Tile.FLOOR)] = Tile.LEAK
    s.water = neighbors8(s.board == Tile.LEAK) > 0

def step(s, act):
    s.drift = 0.65 * s.drift + 0.28 * vec(act.move)
    s.raft += s.drift
    here = cell(s.raft)
    if act.use and any(disk(here, 1.0) and s.board == Tile.LEAK):
        s.board = where(disk(here, 1.0) and s.board == Tile.LEAK, Tile.PLUG, s.board)
        reward(0.15)
    leaks = s.board == Tile.LEAK
    seeps = neighbors4(s.water or leaks) > 0 and chance_grid(SEEP)
    spread = s.water or leaks or (seeps and any(leaks))
    s.water = spread and not (disk(here, SUCK) and not leaks)
    if not any(s.water) and not any(leaks):
        win()
    elif count(s.water) > 50:
        lose()

def view(s):
    disc(s.raft, 0.4, 0)
