"""Run your shunter along the single track for wagons, burn coal on the way and fill up at a
station; step aside into a siding before the express comes through."""
game = Game(size=(5, 11), max_steps=110, skills=["resource", "avoidance"])

WAGONS = Param(4, 2, 6, harder="up")
TANK = Param(16, 11, 24, harder="down")
REST = Param(9, 4, 14, harder="down")

class Tile(Enum):
    FIELD = Look("#", "darkgreen", solid=True)
    TRACK = Look("-", "gray")
    SIDING = Look("u", "brown")
    STATION = Look("S", "white", tool=True)
    WAGON = Look("w", "gold", item=True)

class Express(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos = Pos(2, 0)
    coal: Int(0, 24) = 16
    wagons: Int(0, 6) = 0
    wait: Int(0, 14) = 6
    board: Grid(Tile, outside=Tile.FIELD) = Tile.FIELD
    trains: Table(Express, 1)

def fresh(board, agent):
    """Somewhere on the line where a wagon may stand."""
    return random_cell(board == Tile.TRACK and not disk(agent, 1.5))

def reset(s):
    s.board = where(ROW == 2, Tile.TRACK, s.board)
    s.board[Pos(1, randint(1, 4))] = Tile.SIDING
    s.board[Pos(3, randint(3, 7))] = Tile.SIDING
    s.board[Pos(1, randint(6, 9))] = Tile.SIDING
    s.board[Pos(2, 0)] = Tile.STATION
    s.board[Pos(2, 10)] = Tile.STATION
    s.board[fresh(s.board, s.agent)] = Tile.WAGON
    s.board[fresh(s.board, s.agent)] = Tile.WAGON
    s.coal = TANK

def step(s, act):
    """The whistle is the wait that runs down: at zero the express enters at one end."""
    before = s.agent
    if s.coal > 0 or s.board[s.agent + act.move] == Tile.STATION:
        s.agent = try_move(s.agent, act.move)
    if s.agent != before:
        s.coal -= 1
    if s.board[s.agent] == Tile.STATION:
        s.coal = TANK
    if s.board[s.agent] == Tile.WAGON:
        s.board[s.agent] = Tile.TRACK
        s.wagons += 1
        reward(0.12)
        s.board[fresh(s.board, s.agent)] = Tile.WAGON
    if count_alive(s.trains) == 0:
        s.wait -= 1
        if s.wait == 0:
            east = chance(0.5)
            spawn(s.trains, pos=Pos(2, 0 if east else 10), heading=RIGHT if east else LEFT)
            s.wait = REST
    for t in s.trains:
        if t.pos == s.agent:
            lose()
        t.pos = t.pos + t.heading
        if t.pos == s.agent:
            lose()
        if not inside(t.pos):
            kill(t)
    if s.wagons >= WAGONS:
        win()
