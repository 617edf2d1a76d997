"""Find the exit of the closet."""
game = Game(size=(3, 3), max_steps=200)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board[random_cell(not at(Pos(1, 1)))] = Tile.EXIT
    s.agent = Pos(1, 1)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.EXIT:
        win()
