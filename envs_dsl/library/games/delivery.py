"""Load parcels at the depot, as many as the van holds, and bring one to every waiting house."""
game = Game(size=(9, 9), max_steps=90, verbs=["take", "drop"], skills=["navigation", "resource"])

HOUSES = Param(4, 1, 8, harder="up")
VAN = Param(2, 1, 4, harder="down")
WORKS = Param(0.05, 0.0, 0.15, harder="up")

class Tile(Enum):
    ROAD = Look(".", "black")
    WORKS = Look("#", "gray", solid=True)
    DEPOT = Look("D", "blue", resource=True)
    WAITING = Look("h", "orange", goal=True)
    SERVED = Look("H", "darkgreen", marker=True)

class State:
    van: Pos
    parcels: Int(0, 4) = 0
    board: Grid(Tile, outside=Tile.WORKS) = Tile.ROAD

def reset(s):
    s.board = where(chance_grid(WORKS) and not BORDER, Tile.WORKS, s.board)
    s.van = Pos(4, 4)
    s.board = where(disk(s.van, 1.5), Tile.ROAD, s.board)
    s.board[s.van] = Tile.DEPOT
    for k in range(8):
        if k < HOUSES:
            s.board[random_cell(s.board == Tile.ROAD)] = Tile.WAITING

def step(s, act):
    s.van = try_move(s.van, act.move)
    if act.take and s.board[s.van] == Tile.DEPOT and s.parcels < VAN:
        s.parcels += 1
    if act.drop and s.board[s.van] == Tile.WAITING and s.parcels > 0:
        s.parcels -= 1
        s.board[s.van] = Tile.SERVED
        reward(0.1)
        if not any(s.board == Tile.WAITING):
            win()
