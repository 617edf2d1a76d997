"""Walk over the beds with your can: all must be moist at once. They dry out again, sand faster than
clay; the can holds little, the butt fills it; weeds come up in the paths and wither."""
game = Game(size=(8, 8), max_steps=120, skills=["navigation", "resource"])

BEDS = Param(5, 2, 8, harder="up")
CAN = Param(4, 2, 8, harder="down")
HEAT = Param(1.0, 0.4, 1.8, harder="up")

class Tile(Enum):
    PATH = Look(".", "darkgreen")
    WEED = Look("#", "green", solid=True)
    BUTT = Look("B", "blue", resource=True)
    SAND = Look("s", "yellow", goal=True)
    CLAY = Look("c", "orange", goal=True)
    MOIST_SAND = Look("S", "brown", marker=True)
    MOIST_CLAY = Look("C", "darkred", marker=True)

class State:
    agent: Pos = Pos(4, 4)
    can: Int(0, 8) = 4
    board: Grid(Tile, outside=Tile.WEED) = Tile.PATH

def reset(s):
    s.board[Pos(4, 3)] = Tile.BUTT
    for k in range(8):
        if k < BEDS:
            bed = Tile.SAND if chance(0.5) else Tile.CLAY
            s.board[random_cell(s.board == Tile.PATH and not disk(s.agent, 1.0))] = bed
    s.can = CAN

def step(s, act):
    before = count(s.board == Tile.SAND or s.board == Tile.CLAY)
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.BUTT:
        s.can = CAN
    dry = here == Tile.SAND or here == Tile.CLAY
    if dry and s.can > 0:
        s.can -= 1
        s.board[s.agent] = Tile.MOIST_SAND if here == Tile.SAND else Tile.MOIST_CLAY
    left = count(s.board == Tile.SAND or s.board == Tile.CLAY)
    reward(0.03 * (before - left))
    if left == 0:
        win()
    s.board = where(s.board == Tile.MOIST_SAND and chance_grid(0.03 * HEAT), Tile.SAND, s.board)
    s.board = where(s.board == Tile.MOIST_CLAY and chance_grid(0.01 * HEAT), Tile.CLAY, s.board)
    grown = s.board == Tile.PATH and not disk(s.agent, 1.0) and chance_grid(0.003)
    withered = s.board == Tile.WEED and chance_grid(0.1)
    s.board = where(grown, Tile.WEED, where(withered, Tile.PATH, s.board))
