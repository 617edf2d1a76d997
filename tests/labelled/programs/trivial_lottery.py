"""Catch the falling star; now and then it falls into your lap."""
game = Game(size=(8, 8), max_steps=60)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    star: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.agent = Pos(7, 4)
    s.star = Pos(0, randint(0, 7))
    s.board[Pos(0, 0)] = Tile.WALL

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.star = s.star + DOWN
    if s.star == s.agent:
        win()
    if s.star.row > 7:
        s.star = Pos(0, randint(0, 7))
