"""Fetch the knife, then step onto the vegetables in the order of the recipe (the next one is told).
A wrong one, or a blunt knife, spoils the dish; whet it at the stone. Cut the whole recipe."""
game = Game(size=(7, 8), max_steps=80, skills=["navigation"])

CUTS = Param(4, 2, 7, harder="up")
EDGE = Param(2, 1, 5, harder="down")
PLENTY = Param(2, 1, 3, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    COUNTER = Look("#", "gray", solid=True)
    STONE = Look("s", "white", tool=True)
    CARROT = Look("c", "orange", item=True)
    LEEK = Look("l", "green", item=True)
    ONION = Look("o", "purple", item=True)

class State:
    agent: Pos = Pos(3, 3)
    edge: Int(0, 5) = 0
    cut: Int(0, 7) = 0
    wanted: Int(0, 2) = 0
    board: Grid(Tile, outside=Tile.COUNTER) = Tile.FLOOR

def kind(n):
    return Tile.CARROT if n == 0 else Tile.LEEK if n == 1 else Tile.ONION

def reset(s):
    s.board = where(ROW % 2 == 1 and COL % 3 == 1, Tile.COUNTER, s.board)
    s.board[random_cell(s.board == Tile.FLOOR and BORDER)] = Tile.STONE
    for k in range(3):
        for j in range(3):
            if j < PLENTY:
                s.board[random_cell(s.board == Tile.FLOOR and not disk(s.agent, 1.0))] = kind(k)
    s.wanted = randint(0, 2)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.STONE:
        if s.edge == 0:
            reward(0.05)
        s.edge = EDGE
    if tagged(here, "item"):
        if here == kind(s.wanted) and s.edge > 0:
            s.edge -= 1
            s.cut += 1
            reward(0.12)
            s.board[s.agent] = Tile.FLOOR
            s.board[random_cell(s.board == Tile.FLOOR and not disk(s.agent, 2.0))] = here
            s.wanted = randint(0, 2)
        elif here != kind(s.wanted):
            lose()
    if s.cut >= CUTS:
        win()
