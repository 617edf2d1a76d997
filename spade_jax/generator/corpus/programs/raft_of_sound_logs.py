"""At first you see which logs are sound and which are rotten. Take sound ones (walk onto them), bring
enough to the slip and launch there (build): one rotten log sinks you. The river rises."""
game = Game(size=(8, 7), max_steps=70, verbs=["build"], skills=["memory", "navigation"])

LOGS = Param(2, 1, 4, harder="up")
SHOW = Param(6, 2, 10, harder="down")
RISE = Param(12, 7, 16, harder="down")

class Tile(Enum):
    BANK = Look(".", "darkgreen")
    SOUND = Look("s", "orange", item=True)
    ROTTEN = Look("r", "purple", hazard=True)
    LOG = Look("l", "brown", marker=True)
    SLIP = Look("S", "gold", goal=True)
    RIVER = Look("~", "blue", hazard=True)

class State:
    agent: Pos = Pos(0, 3)
    sound: Int(0, 5) = 0
    spoilt: Hidden(Bool) = False
    rotten: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.RIVER) = Tile.BANK

def reset(s):
    s.board = where(ROW == 7, Tile.RIVER, s.board)
    s.board[Pos(0, randint(0, 6))] = Tile.SLIP
    for k in range(5):
        s.board[random_cell(s.board == Tile.BANK and ROW > 1 and ROW < 6)] = Tile.SOUND
    for k in range(3):
        s.board[random_cell(s.board == Tile.BANK and ROW > 1 and ROW < 6)] = Tile.ROTTEN
    s.rotten = s.board == Tile.ROTTEN

def step(s, act):
    if s.t + 1 >= SHOW:
        s.board = where(s.board == Tile.SOUND or s.board == Tile.ROTTEN, Tile.LOG, s.board)
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.LOG or here == Tile.SOUND or here == Tile.ROTTEN:
        s.board[s.agent] = Tile.BANK
        if s.rotten[s.agent]:
            s.spoilt = True
        else:
            s.sound += 1
            reward(0.1)
    if act.build and here == Tile.SLIP and s.sound >= LOGS:
        if s.spoilt:
            lose()
        else:
            win()
    if (s.t + 1) % RISE == 0:
        s.board = where(shift(s.board == Tile.RIVER, UP) or ROW == 7, Tile.RIVER, s.board)
    if s.board[s.agent] == Tile.RIVER:
        lose()
