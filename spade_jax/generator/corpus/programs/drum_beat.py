"""Push both drums onto the stands. Steps on the beat, when the light is on, are free; every other
step costs breath, and without breath you drop out. The beat speeds up."""
game = Game(size=(8, 8), max_steps=120, skills=["manipulation"])

BREATH = Param(16, 6, 30, harder="down")
DRUMS = Param(2, 1, 3, harder="up")
SLOW = Param(3, 2, 5, harder="up")

class Tile(Enum):
    STAGE = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DRUM = Look("d", "orange", solid=True, item=True)
    STAND = Look("_", "green", goal=True)
    PLAYED = Look("D", "gold", solid=True, marker=True)

class State:
    agent: Pos = Pos(4, 4)
    breath: Int(0, 30) = 16
    beat: Bool = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.STAGE

def reset(s):
    inner = rect(Pos(2, 2), Pos(5, 5)) and not at(s.agent)
    for k in range(3):
        if k < DRUMS:
            s.board[random_cell(inner and s.board == Tile.STAGE)] = Tile.DRUM
            s.board[random_cell(not BORDER and not inner and s.board == Tile.STAGE and not at(s.agent))] = Tile.STAND
    s.breath = BREATH

def step(s, act):
    if act.move != STAY and not s.beat:
        s.breath -= 1
    target = s.agent + act.move
    beyond = target + act.move
    if s.board[target] == Tile.DRUM:
        if s.board[beyond] == Tile.STAND:
            s.board[target] = Tile.STAGE
            s.board[beyond] = Tile.PLAYED
            reward(0.25)
        elif s.board[beyond] == Tile.STAGE:
            s.board[target] = Tile.STAGE
            s.board[beyond] = Tile.DRUM
    s.agent = try_move(s.agent, act.move)
    period = max(2, SLOW - s.t // 40)
    s.beat = (s.t + 1) % period == 0
    if not any(s.board == Tile.STAND):
        win()
    elif s.breath == 0:
        lose()
