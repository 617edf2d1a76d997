"""Who has just boarded is shown in red for a moment; then all passengers look alike. Walk the aisle
and turn to each newcomer to punch the ticket, before the station; never bother anybody else."""
game = Game(size=(5, 9), max_steps=40, skills=["memory"])

BOARDED = Param(3, 1, 6, harder="up")
SHOW = Param(5, 2, 10, harder="down")
STATION = Param(32, 24, 38, harder="down")

class Tile(Enum):
    AISLE = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    SEATED = Look("s", "white", solid=True)
    BOARDING = Look("n", "red", solid=True, goal=True)
    PUNCHED = Look("p", "green", solid=True, marker=True)

class State:
    agent: Pos = Pos(2, 4)
    newcomers: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.WALL

def reset(s):
    inner = not BORDER
    s.board = where(inner, Tile.SEATED, s.board)
    s.board = where(inner and ROW == 2, Tile.AISLE, s.board)
    s.agent = Pos(2, randint(1, 7))
    for k in range(6):
        if k < BOARDED:
            s.newcomers[random_cell(s.board == Tile.SEATED and not s.newcomers)] = True
    s.board = where(s.newcomers, Tile.BOARDING, s.board)

def step(s, act):
    if s.t >= SHOW:
        s.board = where(s.board == Tile.BOARDING, Tile.SEATED, s.board)
    target = s.agent + act.move
    if s.board[target] == Tile.SEATED:
        if s.newcomers[target] and s.t >= SHOW:
            s.board[target] = Tile.PUNCHED
            reward(0.15)
        elif not s.newcomers[target]:
            lose()
    s.agent = try_move(s.agent, act.move)
    if count(s.board == Tile.PUNCHED) == count(s.newcomers):
        win()
    elif s.t >= STATION:
        lose()
