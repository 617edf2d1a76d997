"""Yellow children weigh 1, orange 2, red 5, until coats hide them. Walk up to children to call them onto
the seesaw: your side must weigh exactly as much as the other; too much throws all off."""
game = Game(size=(5, 7), max_steps=45, skills=["memory"])

SITTING = Param(2, 1, 3, harder="up")
SHOW = Param(6, 2, 12, harder="down")

class Tile(Enum):
    LAWN = Look(".", "darkgreen")
    FENCE = Look("#", "gray", solid=True)
    LIGHT = Look("l", "yellow", solid=True, item=True)
    MIDDLE = Look("m", "orange", solid=True, item=True)
    HEAVY = Look("h", "red", solid=True, item=True)
    COAT = Look("c", "white", solid=True, item=True)

class State:
    agent: Pos = Pos(2, 3)
    weights: Hidden(Array(Int(0, 5), 10))
    other: Int(0, 15) = 0
    mine: Int(0, 20) = 0
    board: Grid(Tile, outside=Tile.FENCE) = Tile.LAWN

def place(k):
    return Pos(0 if k < 5 else 4, 1 + k % 5)

def reset(s):
    s.board = where(ROW == 0 or ROW == 4, Tile.FENCE, s.board)
    taken = randint(0, 4)
    for k in range(10):
        if k % 5 < 2 or k < 5:
            w = pick(1, 2, 5)
            s.weights[k] = w
            s.board[place(k)] = Tile.LIGHT if w == 1 else Tile.MIDDLE if w == 2 else Tile.HEAVY
    for k in range(3):
        if k < SITTING:
            s.other += s.weights[(taken + 2 * k) % 5]

def step(s, act):
    if s.t >= SHOW:
        s.board = where(s.board == Tile.LAWN or s.board == Tile.FENCE, s.board, Tile.COAT)
    target = s.agent + act.move
    for k in range(10):
        if target == place(k) and s.board[target] != Tile.FENCE and s.t >= SHOW:
            s.board[target] = Tile.FENCE
            s.mine += s.weights[k]
            if s.mine <= s.other:
                reward(0.1)
    s.agent = try_move(s.agent, act.move)
    if s.mine == s.other:
        win()
    elif s.mine > s.other:
        lose()
