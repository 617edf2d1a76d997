"""Walk to the end of the corridor."""
game = Game(size=(3, 10), max_steps=50)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(BORDER, Tile.WALL, Tile.FLOOR)
    s.board[Pos(1, 8)] = Tile.EXIT
    s.agent = Pos(1, randint(1, 4))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.EXIT:
        win()
