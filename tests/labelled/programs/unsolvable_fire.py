"""Save the scroll before the fire has eaten it."""
game = Game(size=(7, 7), max_steps=50)

class Tile(Enum):
    FLOOR = Look(".", "black")
    FIRE = Look("^", "orange", hazard=True)
    SCROLL = Look("s", "white", item=True)

class State:
    monk: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    farthest: Int(0, 6) = 0

def reset(s):
    s.monk = Pos(randint(0, 6), 0)
    s.board[Pos(3, 6)] = Tile.FIRE
    s.board[Pos(randint(2, 4), 5)] = Tile.SCROLL

def step(s, act):
    to = s.monk + act.move
    if inside(to):
        s.monk = to
    if s.monk.col > s.farthest:
        s.farthest = s.monk.col
        reward(0.02)
    if s.board[s.monk] == Tile.SCROLL:
        win()
    s.board = where(neighbors8(s.board == Tile.FIRE) > 0, Tile.FIRE, s.board)
    if s.board[s.monk] == Tile.FIRE:
        lose()
