"""Leave the field by any of its hedges."""
game = Game(size=(7, 7), max_steps=120)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.agent = random_cell(rect(Pos(2, 2), Pos(4, 4)))
    s.board = where(BORDER, Tile.EXIT, s.board)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.EXIT:
        win()
