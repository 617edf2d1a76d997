"""Walk into earth or ore to dig it out, then step in. The roof over dug cells cracks (orange), the more
the wider you dig, and falls soon after: never be under it then. Bring out enough ore."""
game = Game(size=(8, 8), max_steps=80, skills=["avoidance", "manipulation"])

NEED = Param(5, 2, 9, harder="up")
WEAK = Param(0.02, 0.005, 0.05, harder="up")
FALLS = Param(0.35, 0.1, 0.6, harder="up")

class Tile(Enum):
    EARTH = Look("#", "brown", solid=True)
    ORE = Look("o", "gold", solid=True, goal=True)
    DUG = Look(".", "black")
    CRACK = Look("/", "orange", hazard=True)

class State:
    miner: Pos = Pos(7, 0)
    ore: Int(0, 9) = 0
    board: Grid(Tile, outside=Tile.EARTH) = Tile.EARTH

def reset(s):
    s.board = where(carve(Pos(randint(5, 6), randint(1, 2)), Pos(randint(0, 1), randint(5, 7))), Tile.ORE, s.board)
    s.board = where(disk(s.miner, 1.0), Tile.DUG, s.board)

def step(s, act):
    target = s.miner + act.move
    ahead = s.board[target]
    if ahead == Tile.EARTH or ahead == Tile.ORE:
        s.board[target] = Tile.DUG
        if ahead == Tile.ORE:
            s.ore += 1
            reward(0.1)
    else:
        s.miner = try_move(s.miner, act.move)
    falling = s.board == Tile.CRACK and chance_grid(FALLS)
    if falling[s.miner]:
        lose()
    s.board = where(falling, Tile.EARTH, s.board)
    hollow = s.board == Tile.DUG or s.board == Tile.CRACK
    cracks = s.board == Tile.DUG and chance_grid(WEAK * (1 + neighbors8(hollow)))
    s.board = where(cracks, Tile.CRACK, s.board)
    if s.ore >= NEED:
        win()
