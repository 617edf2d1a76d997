"""Lift the beam together: whoever lifts, lifts for all."""
game = Game(size=(5, 5), max_steps=50, players=2, verbs=["build"])
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    porter: Players(Pos)
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    height: Int(0, 15) = 0

def reset(s):
    s.porter[0] = Pos(0, 0)
    s.porter[1] = Pos(4, 4)
    s.board[random_cell(BORDER)] = Tile.WALL

def step(s, acts):
    for i in players():
        s.porter[i] = try_move(s.porter[i], acts[i].move)
        if acts[i].build:
            s.height += 1
            reward(0.01)
    if s.height >= 12:
        win()
