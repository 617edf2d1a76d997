"""The first flower you taste shows its colour for a moment. Then visit all flowers of that colour;
touching one of another colour ends the flight."""
game = Game(size=(7, 7), max_steps=60, skills=["memory", "navigation"])

FLOWERS = Param(2, 1, 4, harder="up")
OTHERS = Param(2, 1, 4, harder="up")
SHOW = Param(5, 1, 10, harder="down")

class Tile(Enum):
    MEADOW = Look(".", "darkgreen")
    ROSE = Look("r", "red", goal=True)
    BELL = Look("b", "blue", goal=True)
    TASTED_ROSE = Look("R", "red", marker=True)
    TASTED_BELL = Look("B", "blue", marker=True)

class State:
    agent: Pos = Pos(3, 3)
    first: Hidden(Int(0, 1)) = 0
    seeds: Int(0, 4) = 0
    board: Grid(Tile, outside=Tile.MEADOW) = Tile.MEADOW

def reset(s):
    s.first = randint(0, 1)
    mine = Tile.ROSE if s.first == 0 else Tile.BELL
    other = Tile.BELL if s.first == 0 else Tile.ROSE
    for k in range(4):
        if k < FLOWERS:
            s.board[random_cell(s.board == Tile.MEADOW and not disk(s.agent, 1.5))] = mine
        if k < OTHERS:
            s.board[random_cell(s.board == Tile.MEADOW and not disk(s.agent, 1.5))] = other
    s.board[s.agent] = Tile.TASTED_ROSE if s.first == 0 else Tile.TASTED_BELL

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if s.t + 1 >= SHOW:
        s.board = where(s.board == Tile.TASTED_ROSE or s.board == Tile.TASTED_BELL, Tile.MEADOW, s.board)
    if here == Tile.ROSE or here == Tile.BELL:
        rose = here == Tile.ROSE
        if rose == (s.first == 0):
            s.seeds += 1
            s.board[s.agent] = Tile.MEADOW
            reward(0.15)
        else:
            lose()
    if s.seeds >= FLOWERS:
        win()
