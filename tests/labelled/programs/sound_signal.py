"""A lamp shows a colour for three steps; walk to the door of that colour at the other end."""
game = Game(size=(5, 8), max_steps=30, skills=["memory"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    RED = Look("r", "red", door=True)
    BLUE = Look("b", "blue", door=True)
    LAMP_RED = Look("R", "red", marker=True)
    LAMP_BLUE = Look("B", "blue", marker=True)

class State:
    walker: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    red: Hidden(Bool) = False
    farthest: Int(0, 7) = 0

def reset(s):
    s.walker = Pos(2, 0)
    s.red = chance(0.5)
    swapped = chance(0.5)
    s.board[Pos(0, 7)] = Tile.RED if swapped else Tile.BLUE
    s.board[Pos(4, 7)] = Tile.BLUE if swapped else Tile.RED
    s.board[Pos(2, 3)] = Tile.LAMP_RED if s.red else Tile.LAMP_BLUE

def step(s, act):
    to = s.walker + act.move
    if inside(to):
        s.walker = to
    if s.t == 2:
        s.board[Pos(2, 3)] = Tile.FLOOR
    if s.walker.col > s.farthest:
        s.farthest = s.walker.col
        reward(0.03)
    here = s.board[s.walker]
    if here == Tile.RED or here == Tile.BLUE:
        if (here == Tile.RED) == s.red:
            win()
        else:
            lose()
