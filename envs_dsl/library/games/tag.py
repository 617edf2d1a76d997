"""Whoever is it must touch the other to pass it on: do not be it when the bell rings."""
game = Game(size=(9, 9), players=2, max_steps=60, skills=["contest", "navigation"])

BELL = Param(50, 20, 60, harder="up")
PILLARS = Param(0.12, 0.0, 0.2, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    TREE = Look("#", "green", solid=True)

class State:
    pos: Players(Pos)
    it: Int(0, 1) = 0
    rest: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.TREE) = Tile.GRASS

def reset(s):
    s.board = where(chance_grid(PILLARS) and not BORDER, Tile.TREE, s.board)
    s.pos[0] = Pos(0, randint(0, 8))
    s.pos[1] = Pos(8, randint(0, 8))
    s.it = randint(0, 1)

def step(s, acts):
    for i in players():
        if i != s.it or s.rest == 0:
            s.pos[i] = try_move(s.pos[i], acts[i].move)
    s.rest -= 1
    if s.rest == 0 and chebyshev(s.pos[0], s.pos[1]) <= 1:
        reward(0.1, s.it)
        s.it = opponent(s.it)
        s.rest = 3
    if s.t + 1 >= BELL:
        win(opponent(s.it))
