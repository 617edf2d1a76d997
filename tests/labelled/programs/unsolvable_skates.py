"""Slide over the ice and stop on the flag."""
game = Game(size=(7, 7), max_steps=60)

class Tile(Enum):
    ICE = Look(".", "cyan")
    WALL = Look("#", "gray", solid=True)
    FLAG = Look("F", "green", goal=True)

class State:
    skater: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.ICE
    slides: Int(0, 60) = 0

def reset(s):
    s.board = where(BORDER, Tile.WALL, Tile.ICE)
    s.board[Pos(3, randint(2, 4))] = Tile.FLAG
    s.skater = Pos(1, 1)

def step(s, act):
    before = s.skater
    for k in range(6):
        s.skater = try_move(s.skater, act.move)
    if s.skater != before:
        reward(0.005)
    if s.board[s.skater] == Tile.FLAG:
        win()
    s.slides += 1
    if s.slides == 59:
        reward(-0.01)
