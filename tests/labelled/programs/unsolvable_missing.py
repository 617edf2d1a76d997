"""Bring three parcels to the depot, one at a time."""
game = Game(size=(5, 8), max_steps=90, verbs=["take", "drop"], skills=["manipulation", "navigation"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    PARCEL = Look("p", "orange", item=True)
    DEPOT = Look("D", "green", goal=True)

class State:
    courier: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    loaded: Bool = False
    stored: Int(0, 3) = 0

def reset(s):
    s.courier = Pos(0, 0)
    s.board[random_cell(ROW == 4)] = Tile.DEPOT
    for k in range(2):
        s.board[random_cell(s.board == Tile.FLOOR and ROW < 4 and ROW > 0)] = Tile.PARCEL

def step(s, act):
    dest = s.courier + act.move
    if inside(dest):
        s.courier = dest
    if act.take and not s.loaded and s.board[s.courier] == Tile.PARCEL:
        s.loaded = True
        s.board[s.courier] = Tile.FLOOR
        reward(0.1)
    if act.drop and s.loaded and s.board[s.courier] == Tile.DEPOT:
        s.loaded = False
        s.stored += 1
        reward(0.1)
    if s.stored == 3:
        win()
