"""Gas pockets drift through the mine unseen, and gas kills. Take the canary: with it you feel the gas
in the cells around you. Dig out all the ore."""
game = Game(size=(8, 8), max_steps=70, skills=["avoidance", "memory"])

ORE = Param(2, 1, 5, harder="up")
POCKETS = Param(4, 2, 9, harder="up")
DRIFT = Param(0.2, 0.05, 0.6, harder="up")
SENSE = Param(2.0, 1.0, 3.0, harder="down")

class Tile(Enum):
    GALLERY = Look(".", "black")
    ORE = Look("o", "gold", goal=True)
    CAGE = Look("c", "yellow", item=True, tool=True)

class State:
    miner: Pos = Pos(7, 0)
    canary: Bool = False
    gas: Hidden(Grid(Bool)) = False
    felt: Grid(Bool) = False
    board: Grid(Tile, outside=Tile.GALLERY) = Tile.GALLERY

def reset(s):
    s.board[Pos(randint(5, 6), randint(0, 2))] = Tile.CAGE
    for k in range(5):
        if k < ORE:
            s.board[random_cell(s.board == Tile.GALLERY and ROW < 6 and COL > 1)] = Tile.ORE
    for k in range(9):
        if k < POCKETS:
            s.gas[random_cell(not s.gas and not disk(s.miner, 3.0))] = True

def step(s, act):
    s.miner = try_move(s.miner, act.move)
    if s.board[s.miner] == Tile.ORE:
        s.board[s.miner] = Tile.GALLERY
        reward(0.15)
    elif s.board[s.miner] == Tile.CAGE:
        s.board[s.miner] = Tile.GALLERY
        s.canary = True
        reward(0.1)
    if s.gas[s.miner]:
        lose()
    if chance(DRIFT):
        s.gas = roll(s.gas, random_dir())
    s.felt = s.gas and disk(s.miner, SENSE) and s.canary
    if s.gas[s.miner]:
        lose()
    elif not any(s.board == Tile.ORE):
        win()
