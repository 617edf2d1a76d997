"""One holds the plate down while the other crosses; then both must stand on the far bank."""
game = Game(size=(5, 7), max_steps=80, players=2, skills=["cooperation"])

class Tile(Enum):
    GROUND = Look(".", "black")
    GATE = Look("G", "brown", solid=True, door=True)
    PLATE = Look("o", "yellow", tool=True)
    FAR = Look("f", "green", goal=True)

class State:
    friend: Players(Pos)
    board: Grid(Tile, outside=Tile.GATE) = Tile.GROUND
    best: Int(0, 12) = 0

def reset(s):
    s.board = where(COL == 3, Tile.GATE, s.board)
    s.board = where(COL > 4, Tile.FAR, s.board)
    s.board[Pos(randint(0, 4), 1)] = Tile.PLATE
    s.board[Pos(randint(0, 4), 4)] = Tile.PLATE
    s.friend[0] = Pos(0, 0)
    s.friend[1] = Pos(4, 0)

def step(s, acts):
    open = s.board[s.friend[0]] == Tile.PLATE or s.board[s.friend[1]] == Tile.PLATE
    for i in players():
        to = s.friend[i] + acts[i].move
        if inside(to) and (open or s.board[to] != Tile.GATE):
            s.friend[i] = to
    sum = s.friend[0].col + s.friend[1].col
    if sum > s.best:
        s.best = sum
        reward(0.03)
    if s.board[s.friend[0]] == Tile.FAR and s.board[s.friend[1]] == Tile.FAR:
        win()
