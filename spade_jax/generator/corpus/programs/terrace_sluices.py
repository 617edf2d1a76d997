"""Open the sluice above a column and water runs down it: every dry field must get some, but a wet
one that gets more drowns. Lay stones in the way, and take them up again."""
game = Game(size=(7, 6), max_steps=90, verbs=["open", "drop", "take"], skills=["puzzle", "manipulation"])

DRY = Param(4, 2, 8, harder="up")
WET = Param(3, 1, 6, harder="up")
STONES = Param(2, 1, 3, harder="down")

class Tile(Enum):
    SOIL = Look(".", "brown")
    CHANNEL = Look("=", "cyan", tool=True)
    PARCHED = Look("d", "yellow", goal=True)
    MOIST = Look("w", "green", hazard=True)
    STONE = Look("o", "gray", item=True)

class State:
    agent: Pos = Pos(0, 2)
    stones: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.SOIL) = Tile.SOIL

def reset(s):
    s.board = where(ROW == 0, Tile.CHANNEL, s.board)
    for k in range(8):
        if k < DRY:
            s.board[random_cell(s.board == Tile.SOIL and ROW < 4)] = Tile.PARCHED
    for k in range(6):
        if k < WET:
            s.board[random_cell(s.board == Tile.SOIL and ROW > 4)] = Tile.MOIST
    s.agent = Pos(0, randint(0, 5))
    s.stones = STONES

def step(s, act):
    """Stones do not hinder you, only the water."""
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if act.drop and here == Tile.SOIL and s.stones > 0:
        s.board[s.agent] = Tile.STONE
        s.stones -= 1
    elif act.take and here == Tile.STONE:
        s.board[s.agent] = Tile.SOIL
        s.stones += 1
    if act.open and here == Tile.CHANNEL:
        foot = slide(s.agent, DOWN, s.board != Tile.STONE)
        run = COL == s.agent.col and ROW <= foot.row
        if any(run and s.board == Tile.MOIST):
            lose()
        reward(0.08 * count(run and s.board == Tile.PARCHED))
        s.board = where(run and s.board == Tile.PARCHED, Tile.MOIST, s.board)
    if not any(s.board == Tile.PARCHED):
        win()
