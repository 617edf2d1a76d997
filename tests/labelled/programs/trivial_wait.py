"""Stay alive until the bell rings."""
game = Game(size=(6, 6), max_steps=40)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board[random_cell(ROW > 2)] = Tile.EXIT
    s.agent = Pos(0, 0)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.EXIT:
        lose()
    if s.t == 25:
        win()
