"""Heat one side of the plate and the droplet flees to the other: every move goes the opposite way.
Bring it into the drain; the hot spots, shown only at first, boil it away."""
game = Game(size=(6, 6), max_steps=50, skills=["memory", "navigation"])

HOT = Param(5, 2, 9, harder="up")
SHOW = Param(4, 1, 8, harder="down")
DRIFT = Param(0.0, 0.0, 0.15, harder="up")

class Tile(Enum):
    PLATE = Look(".", "gray")
    HOT = Look("x", "red", hazard=True)
    DRAIN = Look("D", "green", goal=True)

class State:
    drop: Pos
    near: Int(0, 10) = 10
    drain: Pos
    hot: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.PLATE) = Tile.PLATE

def reset(s):
    s.drop = Pos(5, randint(0, 5))
    s.drain = Pos(0, randint(0, 5))
    way = carve(s.drop, s.drain)
    for k in range(9):
        if k < HOT:
            s.hot[random_cell(not way and not s.hot)] = True
    s.board = where(s.hot, Tile.HOT, s.board)
    s.board[s.drain] = Tile.DRAIN

def step(s, act):
    if s.t + 1 >= SHOW:
        s.board = where(s.board == Tile.HOT, Tile.PLATE, s.board)
        s.drop = try_move(s.drop, opposite(act.move))
        if chance(DRIFT):
            s.drop = try_move(s.drop, random_dir())
    gap = manhattan(s.drop, s.drain)
    reward(0.04 * max(s.near - gap, 0))
    s.near = min(s.near, gap)
    if s.hot[s.drop]:
        lose()
    elif s.drop == s.drain:
        win()
