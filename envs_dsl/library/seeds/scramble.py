"""Two rivals race for gems on one board: be the first to hold enough of them."""
game = Game(size=(7, 7), players=2, max_steps=60, skills=["contest", "navigation"])

NEED = Param(4, 2, 7, harder="up")
WALLS = Param(0.08, 0.0, 0.2, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    GEM = Look("g", "gold", item=True)

class State:
    pos: Players(Pos)
    gems: Players(Int(0, 9)) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(chance_grid(WALLS), Tile.WALL, s.board)
    s.pos[0] = Pos(6, randint(0, 6))
    s.pos[1] = Pos(0, randint(0, 6))
    for i in players():
        s.board[s.pos[i]] = Tile.FLOOR
    for k in range(4):
        s.board[random_cell(s.board == Tile.FLOOR and not BORDER)] = Tile.GEM

def step(s, acts):
    for i in players():
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
        if s.board[s.pos[i]] == Tile.GEM:
            s.board[s.pos[i]] = Tile.FLOOR
            s.gems[i] += 1
            reward(0.1, i)
            s.board[random_cell(s.board == Tile.FLOOR and not at(s.pos[i]))] = Tile.GEM
    first = s.gems[0] >= NEED
    second = s.gems[1] >= NEED
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)
