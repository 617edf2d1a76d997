"""You are an enzyme with a shape (a colour). You can split only molecules of your colour; each leaves
you with the shape that its number tells (1 red, 2 blue, 3 gold). Split them all."""
game = Game(size=(6, 6), max_steps=80, verbs=["use"], skills=["puzzle"])

MOLECULES = Param(4, 2, 8, harder="up")
SHAPES = Param(3, 2, 3, harder="up")

class Tile(Enum):
    CELL = Look(".", "black")
    RED = Look("r", "red", resource=True)
    BLUE = Look("b", "blue", resource=True)
    GOLD = Look("y", "gold", resource=True)

class State:
    agent: Pos = Pos(3, 3)
    shape: Int(1, 3) = 1
    board: Grid(Tile, outside=Tile.CELL) = Tile.CELL
    leaves: Grid(Int(0, 3)) = 0

def kind(shape):
    return Tile.RED if shape == 1 else Tile.BLUE if shape == 2 else Tile.GOLD

def reset(s):
    """A chain of shapes, scattered over the board: in its order it can be done."""
    shape = randint(1, SHAPES)
    s.shape = shape
    for k in range(8):
        if k < MOLECULES:
            after = randint(1, SHAPES)
            spot = random_cell(s.board == Tile.CELL and not at(s.agent))
            s.board[spot] = kind(shape)
            s.leaves[spot] = after
            shape = after

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.use and s.leaves[s.agent] > 0 and s.board[s.agent] == kind(s.shape):
        s.shape = s.leaves[s.agent]
        s.leaves[s.agent] = 0
        s.board[s.agent] = Tile.CELL
        reward(0.08)
    if not any(s.leaves > 0):
        win()
    elif not any(s.board == kind(s.shape)):
        lose()
