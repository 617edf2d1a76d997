"""The sky shows the forecast of eight spells, then only clouds. Fetch the washing at the porch, use
the line to hang it up, use it again to take it down when dry, and be on the porch when it rains."""
game = Game(size=(4, 8), max_steps=70, verbs=["use"], skills=["memory", "resource"])

DRYING = Param(5, 3, 8, harder="up")
RAIN = Param(0.5, 0.2, 0.7, harder="up")
SHOW = Param(8, 3, 30, harder="down")

class Tile(Enum):
    YARD = Look(".", "darkgreen")
    SUN = Look("s", "yellow", solid=True)
    SHOWER = Look("r", "blue", solid=True)
    CLOUD = Look("c", "gray", solid=True)
    PAST = Look("#", "black", solid=True)
    PORCH = Look("P", "brown", tool=True)
    LINE = Look("L", "white", tool=True)

class State:
    agent: Pos
    where_is: Int(0, 2) = 0
    dry: Int(0, 8) = 0
    raining: Bool = False
    forecast: Hidden(Array(Bool, 8))
    board: Grid(Tile, outside=Tile.PAST) = Tile.YARD

def reset(s):
    spell = randint(0, 5)
    for k in range(8):
        s.forecast[k] = chance(RAIN) and k != spell and k != spell + 1 and k > 0
        s.board[Pos(0, k)] = Tile.SHOWER if s.forecast[k] else Tile.SUN
    s.board[Pos(randint(1, 3), 1)] = Tile.PORCH
    s.board[Pos(randint(1, 3), 4)] = Tile.LINE
    s.agent = random_cell(s.board == Tile.YARD and COL < 4)

def step(s, act):
    """The washing is at home (0), in your arms (1) or on the line (2)."""
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.PORCH and s.where_is == 0:
        s.where_is = 1
        reward(0.05)
    elif act.use and here == Tile.LINE and s.where_is == 1:
        s.where_is = 2
        if s.dry == 0:
            reward(0.1)
    elif act.use and here == Tile.LINE and s.where_is == 2:
        s.where_is = 1
    now = s.t // 8
    s.raining = s.forecast[now]
    if s.t >= SHOW:
        s.board = where(ROW == 0, Tile.CLOUD, s.board)
        s.board = where(ROW == 0 and COL < now, Tile.PAST, s.board)
        s.board[Pos(0, now)] = Tile.SHOWER if s.raining else Tile.SUN
    if s.raining and (s.where_is == 2 or (s.where_is == 1 and here != Tile.PORCH)):
        lose()
    elif s.where_is == 2 and s.dry < DRYING:
        s.dry += 1
        reward(0.03)
    if s.where_is == 1 and here == Tile.PORCH and s.dry >= DRYING:
        win()
