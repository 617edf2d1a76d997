"""Turn all six coins heads up; a flip turns two neighbours at once."""
game = Game(size=(3, 6), max_steps=60, verbs=["flip"])

class Tile(Enum):
    TABLE = Look(".", "black")
    TAILS = Look("t", "gray", marker=True)
    HEADS = Look("h", "yellow", marker=True)

class State:
    hand: Pos
    board: Grid(Tile, outside=Tile.TABLE) = Tile.TABLE

def turned(board, p):
    up = where(at(p) and board == Tile.TAILS, Tile.HEADS, board)
    return where(at(p) and board == Tile.HEADS, Tile.TAILS, up)

def reset(s):
    s.board = where(ROW == 1, Tile.HEADS, s.board)
    s.board[Pos(1, randint(0, 5))] = Tile.TAILS
    s.hand = Pos(1, randint(0, 4))

def step(s, act):
    to = s.hand + act.move
    if to.row == 1 and to.col >= 0 and to.col < 5:
        s.hand = to
    if act.flip:
        before = count(s.board == Tile.HEADS)
        s.board = turned(s.board, s.hand)
        s.board = turned(s.board, s.hand + RIGHT)
        reward(0.02 * (count(s.board == Tile.HEADS) - before))
    if not any(s.board == Tile.TAILS):
        win()
