"""On smooth ice you slide until something stops you: run into the green post, never into a hole."""
game = Game(size=(8, 8), max_steps=16, skills=["puzzle", "navigation"])

HOLES = Param(0.2, 0.0, 0.3, harder="up")
ROCKS = Param(0.08, 0.0, 0.25, harder="up")

class Tile(Enum):
    ICE = Look(".", "cyan")
    ROCK = Look("#", "gray", solid=True)
    HOLE = Look("O", "red", hazard=True)
    POST = Look("P", "green", goal=True)

class State:
    agent: Pos
    post: Pos
    board: Grid(Tile, outside=Tile.ROCK) = Tile.ICE

def reset(s):
    s.board = where(chance_grid(ROCKS) and not BORDER, Tile.ROCK, s.board)
    s.board = where(chance_grid(HOLES) and not BORDER, Tile.HOLE, s.board)
    s.agent = random_cell(s.board == Tile.ICE and not BORDER)
    s.post = random_cell(BORDER and not disk(s.agent, 3.0))
    s.board[s.post] = Tile.POST

def step(s, act):
    s.agent = slide(s.agent, act.move, s.board == Tile.ICE)
    ahead = s.board[s.agent + act.move]
    if ahead == Tile.HOLE:
        lose()
    if ahead == Tile.POST:
        win()
