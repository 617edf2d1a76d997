"""Take a parcel to the green hatch and drop it there; now and then it slips from your hands."""
game = Game(size=(7, 7), max_steps=80, verbs=["take", "drop"], skills=["manipulation"])

NEED = Param(1, 1, 4, harder="up")
SLIP = Param(0.02, 0.0, 0.2, harder="up")
SHELVES = Param(0.08, 0.0, 0.2, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    SHELF = Look("#", "gray", solid=True)
    PARCEL = Look("p", "gold", item=True)
    HATCH = Look("H", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.SHELF) = Tile.FLOOR
    carrying: Bool = False
    delivered: Int(0, 9) = 0

def reset(s):
    s.board = where(chance_grid(SHELVES), Tile.SHELF, s.board)
    for k in range(3):
        s.board[random_cell(s.board == Tile.FLOOR)] = Tile.HATCH
    for k in range(6):
        s.board[random_cell(s.board == Tile.FLOOR)] = Tile.PARCEL
    s.agent = random_cell(s.board == Tile.FLOOR)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if act.take and here == Tile.PARCEL and not s.carrying:
        s.carrying = True
        s.board[s.agent] = Tile.FLOOR
        if s.delivered == 0:
            reward(0.1)
    if s.carrying and here == Tile.FLOOR and (act.drop or chance(SLIP)):
        s.carrying = False
        s.board[s.agent] = Tile.PARCEL
        if s.delivered == 0:
            reward(-0.1)
    if act.drop and s.carrying and here == Tile.HATCH:
        s.carrying = False
        s.delivered += 1
        reward(0.15)
    if s.delivered >= NEED:
        win()
