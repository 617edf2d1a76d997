"""Get to the left edge while stones roll down."""
game = Game(size=(7, 9), max_steps=60)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class Stone(Row):
    pos: Pos

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    stones: Table(Stone, 3)

def reset(s):
    s.agent = Pos(randint(0, 6), 7)
    s.board = where(COL == 0, Tile.EXIT, s.board)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if chance(0.15):
        spawn(s.stones, pos=Pos(0, randint(1, 8)))
    for b in s.stones:
        b.pos = b.pos + DOWN
        if b.pos == s.agent:
            lose()
        if not inside(b.pos):
            kill(b)
    if s.board[s.agent] == Tile.EXIT:
        win()
