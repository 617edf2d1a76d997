"""Two musicians drift away from each other. Bring them side by side into the light and play enough bars
there: every beat that they spend apart costs a bar. Do not step into an open pit."""
game = Game(size=(7, 7), players=2, max_steps=70, skills=["cooperation", "avoidance"])

BARS = Param(5, 2, 10, harder="up")
DRIFT = Param(0.15, 0.05, 0.4, harder="up")
PITS = Param(0.08, 0.0, 0.25, harder="up")

class Tile(Enum):
    STAGE = Look(".", "black")
    LIGHT = Look("+", "yellow", goal=True)
    PIT = Look("O", "red", hazard=True)

class State:
    pos: Players(Pos)
    bars: Int(0, 10) = 0
    best: Int(0, 10) = 0
    board: Grid(Tile, outside=Tile.PIT) = Tile.STAGE

def reset(s):
    s.pos[0] = Pos(randint(0, 6), 0)
    s.pos[1] = Pos(randint(0, 6), 6)
    s.board = where(chance_grid(PITS) and COL > 0 and COL < 6, Tile.PIT, s.board)
    s.board = where(disk(Pos(3, 3), 1.5), Tile.LIGHT, s.board)
    s.board = where(ROW == 3 and s.board == Tile.PIT, Tile.STAGE, s.board)

def step(s, acts):
    for i in players():
        before = s.pos[i]
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        if s.pos[i] == s.pos[opponent(i)]:
            s.pos[i] = before
        pushed = try_move(s.pos[i], away(s.pos[i], s.pos[opponent(i)]))
        if chance(DRIFT) and s.board[pushed] != Tile.PIT:
            s.pos[i] = pushed
        if s.board[s.pos[i]] == Tile.PIT:
            lose()
    lit = s.board[s.pos[0]] == Tile.LIGHT and s.board[s.pos[1]] == Tile.LIGHT
    if lit and adjacent(s.pos[0], s.pos[1]):
        s.bars += 1
        if s.bars > s.best:
            s.best = s.bars
            reward(0.1)
    else:
        s.bars -= 1
    if s.bars >= BARS:
        win()
