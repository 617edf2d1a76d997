"""Guide a patient who cannot see: he walks on in the direction you called last, veers a little, and
stops only at 'use' or when he bumps. Medicine first, then the bed; no wet floor, no trolley."""
game = Game(size=(7, 7), max_steps=70, verbs=["use"], skills=["avoidance", "navigation"])

VEER = Param(0.08, 0.0, 0.2, harder="up")
WET = Param(4, 1, 8, harder="up")
TROLLEYS = Param(2, 0, 3, harder="up")
BUMPS = Param(3, 1, 6, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    WET = Look("~", "blue", hazard=True)
    MEDICINE = Look("m", "gold", item=True)
    BED = Look("B", "green", goal=True)

class Trolley(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos
    heading: Dir = STAY
    medicine: Bool = False
    bumps: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    trolleys: Table(Trolley, 3)

def reset(s):
    s.agent = Pos(6, randint(1, 5))
    s.board[Pos(randint(2, 4), randint(0, 6))] = Tile.MEDICINE
    s.board[Pos(0, randint(0, 6))] = Tile.BED
    for k in range(8):
        if k < WET:
            s.board[random_cell(s.board == Tile.FLOOR and not disk(s.agent, 1.5))] = Tile.WET
    for k in range(3):
        if k < TROLLEYS:
            spawn(s.trolleys, pos=Pos(1 + 2 * k, randint(0, 6)), heading=pick(LEFT, RIGHT))

def step(s, act):
    if act.move != STAY:
        s.heading = act.move
    if act.use:
        s.heading = STAY
    way = s.heading
    if chance(VEER):
        way = turn_left(way) if chance(0.5) else turn_right(way)
    target = try_move(s.agent, way)
    if target == s.agent and way != STAY:
        s.bumps += 1
        s.heading = STAY
        reward(-0.05)
    s.agent = target
    for trolley in s.trolleys:
        if trolley.pos == s.agent:
            lose()
        if not inside(trolley.pos + trolley.heading):
            trolley.heading = opposite(trolley.heading)
        if s.t % 2 == 0:
            trolley.pos = trolley.pos + trolley.heading
        if trolley.pos == s.agent:
            lose()
    here = s.board[s.agent]
    if here == Tile.MEDICINE:
        s.medicine = True
        s.board[s.agent] = Tile.FLOOR
        reward(0.2)
    if here == Tile.WET or s.bumps >= BUMPS:
        lose()
    elif here == Tile.BED and s.medicine:
        win()
