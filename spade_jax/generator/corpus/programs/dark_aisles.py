"""Robots run to and fro in three aisles. You see them at first, then only in short flashes: remember
their beat and cross all aisles to the green shelf without being hit."""
game = Game(size=(8, 7), max_steps=60, skills=["memory", "avoidance"])

SHOW = Param(8, 3, 14, harder="down")
FLASH = Param(6, 3, 9, harder="up")
LONG = Param(5, 4, 7, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    AISLE = Look(",", "darkgray")
    SHELF = Look("S", "green", goal=True)

class State:
    agent: Pos = Pos(7, 3)
    best: Int(0, 7) = 7
    place: Hidden(Array(Int(0, 6), 3))
    way: Hidden(Array(Int(-1, 1), 3))
    seen: Grid(Bool) = False
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR

def reset(s):
    """Robot k runs in row 1 + 2 k, over the first columns."""
    s.board = where(ROW % 2 == 1 and ROW < 7, Tile.AISLE, s.board)
    s.board = where(ROW == 0, Tile.SHELF, s.board)
    s.agent = Pos(7, randint(0, 6))
    for k in range(3):
        s.place[k] = randint(0, 3)
        s.way[k] = 1

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    shown = s.t < SHOW or s.t % FLASH == 0
    s.seen = False
    hit = False
    for k in range(3):
        hit = hit or s.agent == Pos(1 + 2 * k, s.place[k])
        if s.place[k] == 0:
            s.way[k] = 1
        elif s.place[k] >= LONG - 1:
            s.way[k] = -1
        s.place[k] = s.place[k] + s.way[k]
        spot = Pos(1 + 2 * k, s.place[k])
        hit = hit or s.agent == spot
        s.seen = s.seen or (at(spot) and shown)
    reward(0.04 * max(s.best - s.agent.row, 0))
    s.best = min(s.best, s.agent.row)
    if hit:
        lose()
    elif s.board[s.agent] == Tile.SHELF:
        win()
