"""Follow the scent to the truffle: every step nearer is paid."""
game = Game(size=(10, 10), max_steps=60)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    pig: Pos
    truffle: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.pig = random_cell(ROW < 4)
    s.truffle = random_cell(ROW > 5)
    s.board[s.truffle] = Tile.EXIT

def step(s, act):
    before = manhattan(s.pig, s.truffle)
    s.pig = try_move(s.pig, act.move)
    reward(0.02 * (before - manhattan(s.pig, s.truffle)))
    if s.board[s.pig] == Tile.EXIT:
        win()
