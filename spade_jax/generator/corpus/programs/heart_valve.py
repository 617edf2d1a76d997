"""Pass through the valve between the two chambers, to and fro. It opens for one step on every beat,
which the lamp shows at first (lit: go now); later the lamp is dark and you must keep the time."""
game = Game(size=(3, 5), max_steps=60, skills=["memory", "avoidance"])

PASSES = Param(3, 1, 6, harder="up")
SHOW = Param(16, 6, 40, harder="down")
LONGEST = Param(4, 3, 6, harder="up")

class Tile(Enum):
    WALL = Look("#", "gray", solid=True)
    CHAMBER = Look(".", "darkred")
    VALVE = Look("v", "pink", door=True, hazard=True)
    LIT = Look("*", "yellow", solid=True, marker=True)
    UNLIT = Look("o", "white", solid=True, marker=True)

class State:
    agent: Pos = Pos(1, 1)
    passes: Int(0, 6) = 0
    west: Bool = True
    period: Hidden(Int(2, 6)) = 3
    phase: Hidden(Int(0, 5)) = 0
    board: Grid(Tile) = Tile.CHAMBER

def reset(s):
    s.period = randint(3, LONGEST)
    s.phase = randint(0, 5)
    s.board = where(COL == 2, Tile.WALL, s.board)
    s.board[Pos(1, 2)] = Tile.VALVE
    s.board[Pos(0, 2)] = Tile.LIT if s.phase % s.period == 0 else Tile.UNLIT

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    beat = (s.t + s.phase) % s.period == 0
    if s.agent.col == 2 and not beat:
        lose()
    elif s.agent.col == 2:
        reward(0.03)
    if (s.agent.col > 2 and s.west) or (s.agent.col < 2 and not s.west):
        s.west = not s.west
        s.passes += 1
        reward(0.15)
    following = (s.t + 1 + s.phase) % s.period == 0
    s.board[Pos(0, 2)] = Tile.LIT if following and s.t < SHOW else Tile.UNLIT
    if s.passes >= PASSES:
        win()
