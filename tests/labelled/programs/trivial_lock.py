"""Turn the lock as the light says: every right turn is paid at once."""
game = Game(size=(3, 12), max_steps=60)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile) = Tile.FLOOR
    wanted: Dir = RIGHT
    turns: Int(0, 9) = 0

def reset(s):
    s.board[Pos(1, 9)] = Tile.EXIT
    s.wanted = random_dir()

def step(s, act):
    if act.move == s.wanted:
        s.turns += 1
        reward(0.05)
        s.wanted = random_dir()
    elif s.turns > 0:
        s.turns = 0
    s.agent = Pos(1, s.turns)
    if s.board[s.agent] == Tile.EXIT:
        win()
