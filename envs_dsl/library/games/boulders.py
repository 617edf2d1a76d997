"""Dig through the earth for gems; boulders that are undermined fall, roll and crush."""
game = Game(size=(11, 11), max_steps=150, skills=["avoidance", "navigation"])

NEED = Param(6, 1, 9, harder="up")
ROCKS = Param(0.12, 0.0, 0.25, harder="up")
GEMS = Param(0.1, 0.05, 0.2, harder="down")

class Tile(Enum):
    TUNNEL = Look(".", "black")
    EARTH = Look(",", "brown")
    WALL = Look("#", "gray", solid=True)
    BOULDER = Look("o", "white", solid=True, hazard=True)
    GEM = Look("g", "cyan", item=True)

class State:
    agent: Pos
    gems: Int(0, 9) = 0
    falling: Grid(Bool) = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.EARTH

def moved(board, going, d):
    return where(shift(going, d), shift(board, d), where(going, Tile.TUNNEL, board))

def reset(s):
    s.board = where(chance_grid(ROCKS), Tile.BOULDER, s.board)
    s.board = where(chance_grid(GEMS), Tile.GEM, s.board)
    s.agent = random_cell(ROW > 5 and not BORDER)
    s.board = where(disk(s.agent, 1.0), Tile.TUNNEL, s.board)
    s.board = where(BORDER, Tile.WALL, s.board)
    for k in range(5):
        s.board[random_cell(s.board == Tile.EARTH)] = Tile.GEM

def step(s, act):
    target = s.agent + act.move
    level = act.move == LEFT or act.move == RIGHT
    if level and s.board[target] == Tile.BOULDER and s.board[target + act.move] == Tile.TUNNEL:
        swap(s.board, target, target + act.move)
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.GEM:
        s.gems += 1
        reward(0.1)
    s.board[s.agent] = Tile.TUNNEL
    if s.falling[s.agent + UP] and s.board[s.agent + UP] == Tile.BOULDER:
        lose()
    heavy = s.board == Tile.BOULDER or s.board == Tile.GEM
    space = s.board == Tile.TUNNEL and not at(s.agent)
    drops = heavy and shift(space, UP)
    s.board = moved(s.board, drops, DOWN)
    s.falling = shift(drops, DOWN)
    for k in range(2):
        d = LEFT if k == 0 else RIGHT
        heavy = s.board == Tile.BOULDER or s.board == Tile.GEM
        space = s.board == Tile.TUNNEL and not at(s.agent)
        beside = shift(space and shift(space, UP), opposite(d))
        rolls = heavy and shift(heavy, UP) and beside and not s.falling
        s.board = moved(s.board, rolls, d)
        s.falling = s.falling or shift(rolls, d)
    if s.gems >= NEED:
        win()
