"""A berth calls for your tug and gives up after a while; then another one calls. Reach enough of
them in time: barges drift across the basin and block you, and three missed calls cost the job."""
game = Game(size=(7, 7), max_steps=90, skills=["navigation"])

NEED = Param(4, 2, 6, harder="up")
LIFE = Param(11, 7, 20, harder="down")
MISSES = Param(3, 1, 5, harder="down")
BARGES = Param(4, 1, 5, harder="up")

class Tile(Enum):
    WATER = Look(".", "blue")
    QUAY = Look("#", "gray", solid=True)
    CALL = Look("C", "gold", goal=True)

class Barge(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos = Pos(3, 3)
    life: Int(0, 20) = 0
    served: Int(0, 6) = 0
    missed: Int(0, 5) = 0
    board: Grid(Tile, outside=Tile.QUAY) = Tile.WATER
    barges: Table(Barge, 5)

def berth(board, agent):
    return random_cell(board == Tile.QUAY and BORDER and not disk(agent, 2.5))

def reset(s):
    s.board = where(ROW == 0 or ROW == 6, Tile.QUAY, s.board)
    s.board[berth(s.board, s.agent)] = Tile.CALL
    s.life = LIFE
    for k in range(5):
        if k < BARGES:
            spawn(s.barges, pos=Pos(1 + k, pick(0, 1, 5, 6)), heading=LEFT if k % 2 == 0 else RIGHT)

def step(s, act):
    target = try_move(s.agent, act.move)
    if not any_at(s.barges, target):
        s.agent = target
    for barge in s.barges:
        if (s.t + barge.pos.row) % 2 == 0:
            ahead = Pos(barge.pos.row, (barge.pos + barge.heading).col % 7)
            if ahead != s.agent:
                barge.pos = ahead
    s.life -= 1
    reached = s.board[s.agent] == Tile.CALL
    if reached:
        s.served += 1
        reward(0.12)
    elif s.life == 0:
        s.missed += 1
    if reached or s.life == 0:
        s.board = where(s.board == Tile.CALL, Tile.QUAY, s.board)
        s.board[berth(s.board, s.agent)] = Tile.CALL
        s.life = LIFE
    if s.served >= NEED:
        win()
    elif s.missed >= MISSES:
        lose()
