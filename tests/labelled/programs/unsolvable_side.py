"""Race down your lane, left and right foot in turn; a fallen tree lies somewhere in the first lane."""
game = Game(size=(3, 8), max_steps=40, players=2, skills=["contest"])

class Tile(Enum):
    TRACK = Look(".", "black")
    TREE = Look("T", "brown", solid=True)
    LINE = Look("|", "green", goal=True)

class State:
    racer: Players(Pos)
    board: Grid(Tile, outside=Tile.TREE) = Tile.TRACK
    left_next: Players(Bool) = False

def reset(s):
    s.racer[0] = Pos(0, 0)
    s.racer[1] = Pos(1, 0)
    s.board = where(COL == 7, Tile.LINE, s.board)
    s.board[Pos(0, randint(2, 6))] = Tile.TREE

def step(s, acts):
    for i in players():
        dest = s.racer[i] + RIGHT
        wanted = LEFT if s.left_next[i] else RIGHT
        if acts[i].move == wanted and not solid(s.board[dest]):
            s.left_next[i] = not s.left_next[i]
            s.racer[i] = dest
    if s.board[s.racer[0]] == Tile.LINE and s.board[s.racer[1]] == Tile.LINE:
        draw()
    elif s.board[s.racer[0]] == Tile.LINE:
        win(0)
    elif s.board[s.racer[1]] == Tile.LINE:
        win(1)
