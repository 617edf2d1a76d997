"""Chop the tree until it falls."""
game = Game(size=(5, 5), max_steps=60, verbs=["attack"])
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    tree: Int(0, 12) = 12

def reset(s):
    s.agent = random_cell(BORDER)
    s.board[Pos(2, 2)] = Tile.WALL
    s.tree = randint(6, 12)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.attack:
        s.tree -= 1
        reward(0.01)
    if s.tree == 0:
        win()
