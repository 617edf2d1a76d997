"""Push the small atoms so that they touch the big one: each locks onto it and takes a bond; fill all its
bonds. Two small atoms that come to touch each other fuse, and the experiment has failed."""
game = Game(size=(7, 7), max_steps=70, skills=["manipulation", "puzzle"])

BONDS = Param(2, 1, 3, harder="up")
SPARE = Param(1, 0, 3, harder="up")

class Tile(Enum):
    VOID = Look(".", "black")
    CORE = Look("O", "red", solid=True, goal=True)
    ATOM = Look("h", "white", solid=True, item=True)
    BONDED = Look("H", "green", solid=True, marker=True)

class State:
    agent: Pos
    bonds: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.BONDED) = Tile.VOID

def reset(s):
    s.board[Pos(randint(1, 2) * 2, randint(1, 2) * 2)] = Tile.CORE
    for k in range(6):
        if k < BONDS + SPARE:
            s.board[random_cell(s.board == Tile.VOID and ROW % 2 == 1 and COL % 2 == 1)] = Tile.ATOM
    s.agent = random_cell(BORDER)

def step(s, act):
    target = s.agent + act.move
    beyond = target + act.move
    if s.board[target] == Tile.ATOM and s.board[beyond] == Tile.VOID and inside(beyond):
        s.board[target] = Tile.VOID
        s.board[beyond] = Tile.ATOM
        around = neighbors4(at(beyond)) > 0
        if any(around and s.board == Tile.CORE):
            s.board[beyond] = Tile.BONDED
            s.bonds += 1
            reward(0.25)
        elif any(around and s.board == Tile.ATOM):
            lose()
    s.agent = try_move(s.agent, act.move)
    if s.bonds >= BONDS:
        win()
