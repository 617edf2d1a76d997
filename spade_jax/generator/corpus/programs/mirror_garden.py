"""Your solar robot must reach the flower. Its battery runs down with each step and fills in the light
beam from the left, which mirrors bend; walk against a mirror to turn it over."""
game = Game(size=(8, 8), max_steps=70, skills=["navigation", "resource"])

BATTERY = Param(7.0, 5.0, 14.0, harder="down")
MIRRORS = Param(6, 3, 10, harder="down")
WALLS = Param(0.06, 0.0, 0.15, harder="up")

class Tile(Enum):
    PATH = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    SLASH = Look("/", "cyan", solid=True, tool=True)
    BACK = Look("b", "blue", solid=True, tool=True)
    FLOWER = Look("F", "green", goal=True)

class State:
    agent: Pos
    battery: Float(0.0, 14.0) = 7.0
    board: Grid(Tile, outside=Tile.WALL) = Tile.PATH
    beam: Grid(Bool) = False

def bent(d, tile):
    slash = UP if d == RIGHT else RIGHT if d == UP else LEFT if d == DOWN else DOWN
    back = DOWN if d == RIGHT else RIGHT if d == DOWN else LEFT if d == UP else UP
    return slash if tile == Tile.SLASH else back if tile == Tile.BACK else d

def light(board, source):
    """The cells that a beam from the left edge runs through."""
    lit = at(source)
    spot = source
    d = RIGHT
    shining = True
    for k in range(20):
        spot = spot + d
        shining = shining and board[spot] != Tile.WALL
        lit = lit or (at(spot) and shining)
        d = bent(d, board[spot])
    return lit

def reset(s):
    s.agent = Pos(3, 0)
    s.board = where(chance_grid(WALLS) and COL > 1 and ROW != 3, Tile.WALL, s.board)
    for k in range(10):
        if k < MIRRORS:
            spot = random_cell(s.board == Tile.PATH and COL > 1)
            s.board[spot] = Tile.SLASH if chance(0.5) else Tile.BACK
    s.board[random_cell(s.board == Tile.PATH and COL > 5)] = Tile.FLOWER
    s.battery = BATTERY
    s.beam = light(s.board, Pos(3, 0))

def step(s, act):
    target = s.agent + act.move
    if act.move != STAY:
        s.battery -= 1.0
        if s.board[target] == Tile.SLASH:
            s.board[target] = Tile.BACK
        elif s.board[target] == Tile.BACK:
            s.board[target] = Tile.SLASH
    before = s.agent.col
    s.agent = try_move(s.agent, act.move)
    reward(0.02 * (s.agent.col - before))
    s.beam = light(s.board, Pos(3, 0))
    if s.beam[s.agent]:
        s.battery += 2.0
    if s.board[s.agent] == Tile.FLOWER:
        win()
    elif s.battery <= 0.0:
        lose()
