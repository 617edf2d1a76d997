"""Drive through the car park to a free bay and switch the engine off there (use). Other cars cruise
the lanes, turn into bays and leave again; do not touch one."""
game = Game(size=(9, 9), max_steps=60, verbs=["use"], skills=["avoidance", "navigation"])

CARS = Param(4, 1, 7, harder="up")
FULL = Param(0.75, 0.3, 0.95, harder="up")
TURN = Param(0.06, 0.0, 0.2, harder="up")

class Tile(Enum):
    LANE = Look(".", "black")
    KERB = Look("#", "gray", solid=True)
    BAY = Look("P", "green", goal=True)
    PARKED = Look("c", "red", solid=True)

class Car(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.KERB) = Tile.LANE
    cars: Table(Car, 7)

def reset(s):
    """Lanes in rows 0, 4 and 8 and in columns 0, 4 and 8; bays along the middle lane."""
    s.board = where(ROW % 4 != 0 and COL % 4 != 0, Tile.KERB, s.board)
    rim = (ROW == 3 or ROW == 5) and COL % 4 != 0
    s.board = where(rim, where(chance_grid(FULL), Tile.PARKED, Tile.BAY), s.board)
    if not any(s.board == Tile.BAY):
        s.board[random_cell(rim)] = Tile.BAY
    s.agent = Pos(8, randint(0, 8))
    for k in range(7):
        if k < CARS:
            spawn(s.cars, pos=random_cell(s.board == Tile.LANE and not disk(s.agent, 3.0)), heading=random_dir())

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.use and s.board[s.agent] == Tile.BAY:
        win()
    for c in s.cars:
        if c.pos == s.agent:
            lose()
        side = turn_left(c.heading) if chance(0.5) else turn_right(c.heading)
        if s.board[c.pos + side] == Tile.LANE and chance(0.3):
            c.heading = side
        if s.board[c.pos + side] == Tile.BAY and c.pos + side != s.agent and chance(TURN):
            s.board[c.pos + side] = Tile.PARKED
            kill(c)
        elif s.board[c.pos + c.heading] == Tile.LANE:
            c.pos = c.pos + c.heading
        else:
            c.heading = opposite(c.heading)
        if alive(c) and c.pos == s.agent:
            lose()
    if chance(TURN) and any(s.board == Tile.PARKED):
        leaving = random_cell(s.board == Tile.PARKED)
        s.board[leaving] = Tile.BAY
