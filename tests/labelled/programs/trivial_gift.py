"""Dig for the chest; now and then it comes up by itself."""
game = Game(size=(7, 7), max_steps=50, verbs=["take"])
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    chest: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.chest = random_cell(COL > 3)
    s.agent = random_cell(COL < 3)
    s.board[Pos(3, 3)] = Tile.WALL

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.take and s.agent == s.chest or chance(0.005):
        win()
