"""Two restorers brush sand (use) off a mosaic: a cell may be covered one to three strokes deep. A brush
wears out and is renewed at your bench or the rival's. Be first to uncover enough cells."""
game = Game(size=(7, 7), players=2, max_steps=90, verbs=["use"], skills=["contest", "resource"])

NEED = Param(5, 2, 9, harder="up")
BRUSH = Param(6, 4, 9, harder="down")
DEEP = Param(0.4, 0.0, 0.8, harder="up")

class Tile(Enum):
    SAND = Look("s", "gold", resource=True)
    MOSAIC = Look("m", "cyan")
    BENCH = Look("B", "brown", tool=True)

class State:
    pos: Players(Pos)
    brush: Players(Int(0, 9)) = 0
    cleared: Players(Int(0, 9)) = 0
    depth: Grid(Int(0, 3)) = 1
    board: Grid(Tile, outside=Tile.MOSAIC) = Tile.SAND

def reset(s):
    s.pos[0] = Pos(6, 0)
    s.pos[1] = Pos(0, 6)
    s.depth = where(chance_grid(DEEP), randint_grid(2, 3), s.depth)
    for i in players():
        s.board[s.pos[i]] = Tile.BENCH
        s.depth[s.pos[i]] = 0

def step(s, acts):
    for i in players():
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
        here = s.pos[i]
        if s.board[here] == Tile.BENCH:
            s.brush[i] = BRUSH
        elif acts[i].use and s.brush[i] > 0 and s.depth[here] > 0:
            s.brush[i] -= 1
            s.depth[here] -= 1
            if s.depth[here] == 0:
                s.board[here] = Tile.MOSAIC
                s.cleared[i] += 1
                reward(0.05, i)
    first = s.cleared[0] >= NEED
    second = s.cleared[1] >= NEED
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)
