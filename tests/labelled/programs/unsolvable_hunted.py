"""Reach the burrow; the hawk flies two cells for each of yours."""
game = Game(size=(9, 9), max_steps=60, skills=["avoidance"])
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    hare: Pos
    hawk: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.hare = Pos(8, randint(0, 8))
    s.hawk = Pos(randint(3, 5), 4)
    s.board[Pos(0, randint(0, 8))] = Tile.EXIT

def step(s, act):
    before = s.hare
    s.hare = try_move(s.hare, act.move)
    if s.hare != before:
        reward(0.01)
    for k in range(2):
        s.hawk = s.hawk + toward(s.hawk, s.hare)
        if s.hawk == s.hare:
            lose()
    if s.board[s.hare] == Tile.EXIT:
        win()
