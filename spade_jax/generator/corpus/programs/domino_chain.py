"""Take dominoes from the boxes, one in hand, and walk into each gap (red) to set one up. When the chain
is whole, push beside the first domino (left): if the falling reaches the bell you win, else you lose."""
game = Game(size=(7, 8), players=2, max_steps=60, verbs=["push"], skills=["cooperation", "manipulation"])

GAPS = Param(2, 1, 5, harder="up")
STURDY = Param(0.0, 0.0, 0.4, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    UPRIGHT = Look("I", "white", solid=True)
    GAP = Look("x", "red", goal=True)
    BOX = Look("B", "brown", item=True)
    TIPPING = Look("/", "orange", solid=True)
    FALLEN = Look("_", "gray", solid=True)
    BELL = Look("b", "gold", solid=True, goal=True)

class State:
    pos: Players(Pos)
    holds: Players(Bool) = False
    first: Pos
    board: Grid(Tile, outside=Tile.FALLEN) = Tile.FLOOR

def reset(s):
    s.first = Pos(randint(2, 4), 0)
    last = Pos(randint(2, 4), 6)
    s.board = where(carve(s.first, last), Tile.UPRIGHT, s.board)
    for k in range(5):
        if k < GAPS:
            s.board[random_cell(s.board == Tile.UPRIGHT and COL > 0 and COL < 6)] = Tile.GAP
    s.board[last + RIGHT] = Tile.BELL
    s.board[Pos(0, randint(2, 5))] = Tile.BOX
    s.board[Pos(6, randint(2, 5))] = Tile.BOX
    s.pos[0] = Pos(0, 0)
    s.pos[1] = Pos(6, 0)

def step(s, acts):
    tipping = s.board == Tile.TIPPING
    was = any(tipping)
    spread = s.board == Tile.UPRIGHT and neighbors4(tipping) > 0
    rung = any(s.board == Tile.BELL and neighbors4(tipping) > 0)
    s.board = where(tipping and not chance_grid(STURDY), Tile.FALLEN, s.board)
    s.board = where(spread, Tile.TIPPING, s.board)
    for i in players():
        target = s.pos[i] + acts[i].move
        if s.board[target] == Tile.GAP and s.holds[i]:
            s.board[target] = Tile.UPRIGHT
            s.holds[i] = False
            reward(0.12)
        elif target != s.pos[opponent(i)]:
            s.pos[i] = try_move(s.pos[i], acts[i].move)
        if s.board[s.pos[i]] == Tile.BOX:
            s.holds[i] = True
        if acts[i].push and adjacent(s.pos[i], s.first) and s.board[s.first] == Tile.UPRIGHT:
            s.board[s.first] = Tile.TIPPING
    if rung:
        win()
    elif was and not any(s.board == Tile.TIPPING):
        lose()
