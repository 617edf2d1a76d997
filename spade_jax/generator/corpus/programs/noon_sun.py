"""Walk to the oasis on the right. The sun drinks from your flask, the shade of the rocks, which
wanders, does not; dig at stones (use): under some there is water."""
game = Game(size=(8, 10), max_steps=90, verbs=["use"], skills=["resource", "navigation"])

FLASK = Param(12, 8, 24, harder="down")
WELLS = Param(0.5, 0.2, 0.9, harder="down")
ROCKS = Param(0.16, 0.08, 0.3, harder="down")

class Tile(Enum):
    DUNE = Look(".", "yellow")
    SHADE = Look(",", "darkgray")
    ROCK = Look("#", "brown", solid=True)
    STONES = Look("o", "gray", resource=True)
    DUG = Look("d", "orange")
    OASIS = Look("O", "green", goal=True)

class State:
    agent: Pos
    flask: Int(0, 24) = 12
    far: Int(0, 9) = 0
    water: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.ROCK) = Tile.DUNE

def reset(s):
    s.agent = Pos(randint(1, 6), 0)
    s.board = where(chance_grid(ROCKS) and COL > 0 and COL < 9 and COL % 2 == 0, Tile.ROCK, s.board)
    for k in range(6):
        s.board[random_cell(s.board == Tile.DUNE and COL > 1 and COL < 8)] = Tile.STONES
    s.water = s.board == Tile.STONES and chance_grid(WELLS)
    s.board = where(COL == 9, Tile.OASIS, s.board)
    s.flask = FLASK

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.t < 30:
        shadow = shift(s.board == Tile.ROCK, LEFT)
    else:
        shadow = shift(s.board == Tile.ROCK, DOWN if s.t < 60 else RIGHT)
    s.board = where(s.board == Tile.SHADE, Tile.DUNE, s.board)
    s.board = where(s.board == Tile.DUNE and shadow, Tile.SHADE, s.board)
    here = s.board[s.agent]
    if here == Tile.STONES and act.use:
        s.board[s.agent] = Tile.DUG
        if s.water[s.agent]:
            s.flask += 8
            reward(0.1)
    if here != Tile.SHADE:
        s.flask -= 1
    reward(0.03 * max(s.agent.col - s.far, 0))
    s.far = max(s.far, s.agent.col)
    if here == Tile.OASIS:
        win()
    elif s.flask == 0:
        lose()
