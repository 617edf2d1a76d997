"""Two frogs hop from pad to pad to the far bank, where both must arrive. A pad that has been sat on
sinks and comes up again after a while; who is in the water drifts back to the near bank."""
game = Game(size=(7, 7), players=2, max_steps=70, skills=["cooperation", "navigation"])

FLOAT = Param(0.75, 0.5, 0.95, harder="down")
SINK = Param(0.3, 0.1, 0.7, harder="up")
RISE = Param(0.15, 0.05, 0.4, harder="down")

class Tile(Enum):
    WATER = Look("~", "blue", hazard=True)
    PAD = Look("o", "green")
    NEAR = Look(",", "brown")
    FAR = Look("F", "gold", goal=True)

class State:
    pos: Players(Pos)
    best: Int(0, 12) = 0
    board: Grid(Tile, outside=Tile.WATER) = Tile.WATER

def reset(s):
    s.board = where(chance_grid(FLOAT), Tile.PAD, s.board)
    s.board = where(ROW == 6, Tile.NEAR, where(ROW == 0, Tile.FAR, s.board))
    s.pos[0] = Pos(6, randint(0, 2))
    s.pos[1] = Pos(6, randint(4, 6))

def step(s, acts):
    sat = s.board == Tile.PAD and (at(s.pos[0]) or at(s.pos[1]))
    sunk = sat and chance_grid(SINK)
    risen = s.board == Tile.WATER and ROW > 0 and ROW < 6 and chance_grid(RISE)
    s.board = where(sunk, Tile.WATER, where(risen, Tile.PAD, s.board))
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        if s.board[s.pos[i]] == Tile.WATER:
            s.pos[i] = Pos(6, s.pos[i].col)
    across = 12 - s.pos[0].row - s.pos[1].row
    reward(0.04 * max(across - s.best, 0))
    s.best = max(s.best, across)
    if s.board[s.pos[0]] == Tile.FAR and s.board[s.pos[1]] == Tile.FAR:
        win()
