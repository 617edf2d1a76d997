"""The beat runs along the bar by itself. Use the drum on a missing beat to fill it; each stroke
takes a breath, and breath is taken on a rest. Three false strokes or breaths break the rhythm."""
game = Game(size=(3, 8), max_steps=70, verbs=["use", "take"], skills=["resource"], camera="board")

MISSING = Param(4, 2, 5, harder="up")
RESTS = Param(2, 1, 3, harder="down")
SLIPS = Param(3, 1, 5, harder="down")

class Tile(Enum):
    PAPER = Look(".", "black")
    BEAT = Look("*", "white")
    GAP = Look("o", "red", goal=True)
    REST = Look("r", "cyan", resource=True)

class State:
    beat: Pos = Pos(1, 0)
    breath: Int(0, 2) = 1
    slips: Int(0, 5) = 0
    board: Grid(Tile) = Tile.PAPER

def reset(s):
    s.board = where(ROW == 1, Tile.BEAT, s.board)
    for k in range(5):
        if k < MISSING:
            s.board[random_cell(s.board == Tile.BEAT)] = Tile.GAP
    for k in range(3):
        if k < RESTS:
            s.board[random_cell(s.board == Tile.BEAT)] = Tile.REST
    s.beat.col = randint(0, 7)

def step(s, act):
    here = s.board[s.beat]
    if act.use:
        if here == Tile.GAP and s.breath > 0:
            s.board[s.beat] = Tile.BEAT
            s.breath -= 1
            reward(0.15)
        else:
            s.slips += 1
            reward(-0.05)
    if act.take:
        if here == Tile.REST and s.breath < 2:
            s.breath += 1
            reward(0.05)
        else:
            s.slips += 1
            reward(-0.05)
    s.beat.col = (s.beat.col + 1) % 8
    if not any(s.board == Tile.GAP):
        win()
    elif s.slips >= SLIPS:
        lose()
