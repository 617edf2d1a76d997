"""Two beavers: gnaw logs at the trees (gather) and lay them into the marked line of the river (build).
A log with a neighbour, or at the bank, holds well; a lone one is soon washed away. Close the line."""
game = Game(size=(7, 8), players=2, max_steps=110, verbs=["gather", "build"], skills=["cooperation", "manipulation"])

WASH = Param(0.04, 0.0, 0.12, harder="up")
FLOOD = Param(90, 60, 105, harder="down")
READY = Param(2, 0, 4, harder="down")

class Tile(Enum):
    BANK = Look(".", "darkgreen")
    TREE = Look("T", "green", solid=True, resource=True)
    RIVER = Look("~", "blue")
    GAP = Look("_", "cyan", goal=True)
    LOG = Look("=", "brown", marker=True)

class State:
    pos: Players(Pos)
    log: Players(Bool) = False
    best: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.TREE) = Tile.BANK

def reset(s):
    """The river runs down the middle; the dam is its row 3, columns 1 to 6."""
    s.board = where(COL > 0 and COL < 7, Tile.RIVER, s.board)
    s.board = where(s.board == Tile.RIVER and ROW == 3, Tile.GAP, s.board)
    s.board = where(s.board == Tile.GAP and COL <= READY, Tile.LOG, s.board)
    s.board = where((COL == 0 or COL == 7) and ROW % 5 == 0, Tile.TREE, s.board)
    s.pos[0] = Pos(3, 0)
    s.pos[1] = Pos(3, 7)

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        here = s.board[s.pos[i]]
        if here == Tile.RIVER and chance(0.3):
            s.pos[i] = try_move(s.pos[i], DOWN)
        tree = nearest(s.board == Tile.TREE, s.pos[i])
        if acts[i].gather and adjacent(tree, s.pos[i]):
            s.log[i] = True
        if acts[i].build and s.log[i] and here == Tile.GAP:
            s.board[s.pos[i]] = Tile.LOG
            s.log[i] = False
    logs = s.board == Tile.LOG
    held = neighbors4(logs or (ROW == 3 and (COL == 0 or COL == 7))) > 0
    washed = logs and chance_grid(where(held, 0.1 * WASH, WASH))
    s.board = where(washed, Tile.GAP, s.board)
    laid = count(s.board == Tile.LOG)
    reward(0.1 * max(laid - s.best, 0))
    s.best = max(s.best, laid)
    if not any(s.board == Tile.GAP):
        win()
    elif s.t >= FLOOD:
        lose()
