"""Reach the far corner before the bell."""
game = Game(size=(10, 10), max_steps=12)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board[Pos(9, 9)] = Tile.EXIT
    s.board[random_cell(ROW + COL > 6 and ROW + COL < 12)] = Tile.WALL
    s.agent = Pos(randint(0, 2), randint(0, 2))

def step(s, act):
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    if s.agent != before:
        reward(0.01)
    if s.board[s.agent] == Tile.EXIT:
        win()
