"""You see at first which windows stand open. Go round and turn their handles (use) before the storm;
turning a shut one opens it. A gust now and then pushes one open, which shows for a moment."""
game = Game(size=(7, 7), max_steps=60, verbs=["use"], skills=["memory", "navigation"])

WINDOWS = Param(2, 1, 5, harder="up")
SHOW = Param(8, 2, 16, harder="down")
GUSTS = Param(0.02, 0.0, 0.06, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    WINDOW = Look("w", "blue", marker=True)
    AJAR = Look("W", "cyan", goal=True)

class State:
    agent: Pos = Pos(3, 3)
    flash: Int(0, 3) = 0
    ajar: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(BORDER, Tile.WALL, s.board)
    corners = (ROW == 0 and COL == 1) or (ROW == 6 and COL == 5)
    s.board = where(BORDER and (ROW == 3 or COL == 3 or corners), Tile.WINDOW, s.board)
    for k in range(5):
        if k < WINDOWS:
            s.ajar[random_cell(s.board == Tile.WINDOW and not s.ajar)] = True
    s.board = where(s.ajar, Tile.AJAR, s.board)

def step(s, act):
    """The storm comes at step 50."""
    s.agent = try_move(s.agent, act.move)
    windows = s.board == Tile.WINDOW or s.board == Tile.AJAR
    if act.use and windows[s.agent]:
        reward(0.1 if s.ajar[s.agent] else -0.1)
        s.ajar[s.agent] = not s.ajar[s.agent]
    s.flash -= 1
    if s.t + 1 >= SHOW and s.flash == 0:
        s.board = where(windows, Tile.WINDOW, s.board)
    blown = windows and not s.ajar and not disk(s.agent, 1.5)
    if chance(GUSTS) and any(blown):
        gust = random_cell(blown)
        s.ajar[gust] = True
        s.board[gust] = Tile.AJAR
        s.flash = 3
    if s.t >= 49:
        if any(s.ajar):
            lose()
        else:
            win()
