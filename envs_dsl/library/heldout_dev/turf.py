"""Two painters share a floor: each tile you enter becomes yours; the first to own enough wins."""
game = Game(size=(6, 6), players=2, max_steps=50, skills=["contest"])

SHARE = Param(20, 10, 24, harder="up")

class Tile(Enum):
    BARE = Look(".", "black")
    MINE = Look("o", "blue", resource=True)
    THEIRS = Look("x", "orange", resource=True)

class State:
    pos: Players(Pos)
    owned: Players(Int(0, 36)) = 1
    board: Grid(Tile, outside=Tile.BARE) = Tile.BARE

def reset(s):
    s.pos[0] = Pos(5, randint(0, 5))
    s.pos[1] = Pos(0, randint(0, 5))
    s.board[s.pos[0]] = Tile.MINE
    s.board[s.pos[1]] = Tile.THEIRS

def step(s, acts):
    for i in players():
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
        paint_tile = Tile.MINE if i == 0 else Tile.THEIRS
        if s.board[s.pos[i]] != paint_tile:
            s.board[s.pos[i]] = paint_tile
            reward(0.02, i)
    s.owned[0] = count(s.board == Tile.MINE)
    s.owned[1] = count(s.board == Tile.THEIRS)
    first = s.owned[0] >= SHARE
    second = s.owned[1] >= SHARE
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)
