"""The ambulance drives along the middle lane whenever the cell before it is free. Take hooks at the
depot (two at most) and pull cars beside you out of the lane, before the patient's time runs out."""
game = Game(size=(5, 9), max_steps=100, verbs=["take", "pull"], skills=["resource", "navigation"])

CARS = Param(4, 1, 6, harder="up")
PATIENT = Param(70, 45, 95, harder="down")
JAM = Param(0.02, 0.0, 0.05, harder="up")

class Tile(Enum):
    ROAD = Look(".", "black")
    LANE = Look("-", "gray")
    CAR = Look("c", "red", solid=True)
    DEPOT = Look("D", "cyan", tool=True)
    HOSPITAL = Look("H", "green", goal=True)

class State:
    agent: Pos
    van: Pos = Pos(2, 0)
    hooks: Int(0, 2) = 0
    time_left: Int(0, 95) = 70
    board: Grid(Tile, outside=Tile.CAR) = Tile.ROAD

def reset(s):
    s.board = where(ROW == 2, Tile.LANE, s.board)
    for k in range(6):
        if k < CARS:
            s.board[random_cell(ROW == 2 and COL > 1 and COL < 8 and s.board == Tile.LANE)] = Tile.CAR
    s.board[Pos(2, 8)] = Tile.HOSPITAL
    s.board[Pos(pick(0, 4), randint(2, 6))] = Tile.DEPOT
    s.agent = Pos(pick(1, 3), randint(0, 3))
    s.time_left = PATIENT

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.take and s.board[s.agent] == Tile.DEPOT and s.hooks < 2:
        s.hooks += 1
        reward(0.03)
    near = disk(s.agent, 1.0) and s.board == Tile.CAR
    if act.pull and s.hooks > 0 and any(near):
        s.hooks -= 1
        s.board[nearest(near, s.agent)] = Tile.LANE
        reward(0.06)
    ahead = s.van + RIGHT
    if s.t % 2 == 0 and s.board[ahead] != Tile.CAR and ahead != s.agent:
        s.van = ahead
    if chance(JAM) and s.van.col < 5:
        spot = Pos(2, randint(s.van.col + 2, 7))
        if s.board[spot] == Tile.LANE and spot != s.agent:
            s.board[spot] = Tile.CAR
    s.time_left -= 1
    if s.board[s.van] == Tile.HOSPITAL:
        win()
    elif s.time_left == 0:
        lose()
