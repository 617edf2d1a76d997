"""Cross the wall to the exit on the other side."""
game = Game(size=(7, 7), max_steps=60)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    best: Int(0, 9) = 0

def reset(s):
    s.board = where(COL == 3, Tile.WALL, Tile.FLOOR)
    s.board[random_cell(COL > 3)] = Tile.EXIT
    s.agent = Pos(randint(0, 6), 0)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.agent.col > s.best:
        s.best = s.agent.col
        reward(0.02)
    if s.board[s.agent] == Tile.EXIT:
        win()
