"""Push the leaves, however many lie in a line, out through the gate onto the compost above. Each
step onto the latch opens the gate, or shuts it again."""
game = Game(size=(7, 7), max_steps=80, skills=["puzzle", "manipulation"])

LEAVES = Param(2, 1, 4, harder="up")
AJAR = Param(0.5, 0.0, 1.0, harder="down")

class Tile(Enum):
    LAWN = Look(".", "darkgreen")
    HEDGE = Look("#", "green", solid=True)
    LEAF = Look("l", "orange", solid=True, item=True)
    COMPOST = Look("c", "brown", goal=True)
    SHUT = Look("G", "red", solid=True, door=True)
    OPEN = Look("g", "white", door=True)
    LATCH = Look("_", "cyan", tool=True)

class State:
    agent: Pos = Pos(6, 3)
    left: Int(0, 4) = 1
    board: Grid(Tile, outside=Tile.HEDGE) = Tile.LAWN

def reset(s):
    s.board = where(ROW == 0, Tile.COMPOST, s.board)
    s.board = where(ROW == 1, Tile.HEDGE, s.board)
    s.board[Pos(1, randint(1, 5))] = Tile.OPEN if chance(AJAR) else Tile.SHUT
    s.board[Pos(6, 0 if chance(0.5) else 6)] = Tile.LATCH
    for k in range(4):
        if k < LEAVES:
            s.board[random_cell(s.board == Tile.LAWN and rect(Pos(3, 1), Pos(4, 5)))] = Tile.LEAF
    s.left = LEAVES

def step(s, act):
    before = s.agent
    target = s.agent + act.move
    if s.board[target] == Tile.LEAF:
        last = slide(s.agent, act.move, s.board == Tile.LEAF)
        beyond = last + act.move
        gate = Pos(1, beyond.col)
        if s.board[beyond] == Tile.LAWN:
            s.board[target] = Tile.LAWN
            s.board[beyond] = Tile.LEAF
        elif beyond == gate and s.board[gate] == Tile.OPEN and act.move == UP:
            s.board[target] = Tile.LAWN
            s.left -= 1
            reward(0.2)
    s.agent = try_move(s.agent, act.move)
    if s.agent != before and s.board[s.agent] == Tile.LATCH:
        shut = s.board == Tile.SHUT
        s.board = where(s.board == Tile.OPEN, Tile.SHUT, s.board)
        s.board = where(shut, Tile.OPEN, s.board)
    if s.left == 0:
        win()
