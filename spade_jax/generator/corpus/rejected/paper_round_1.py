"""Ride round the block and throw papers: they fly to your right-hand side. Serve every porch before
the papers run out. Riding into a garden gets you bitten, and the van must not catch you."""
game = Game(size=(7, 7), max_steps=90, verbs=["throw"], skills=["manipulation", "avoidance"])

PORCHES = Param(3, 1, 5, harder="up")
SPARE = Param(2, 0, 5, harder="down")
BITES = Param(4, 2, 8, harder="down")
PACE = Param(4, 2, 7, harder="down")

class Tile(Enum):
    ROAD = Look(".", "gray")
    GARDEN = Look("g", "darkgreen", solid=True, hazard=True)
    PORCH = Look("P", "gold", solid=True, goal=True)
    SERVED = Look("s", "brown", solid=True)

class Van(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos
    heading: Dir = UP
    papers: Int(0, 10) = 5
    bites: Int(0, 8) = 4
    board: Grid(Tile, outside=Tile.GARDEN) = Tile.GARDEN
    vans: Table(Van, 1)

def reset(s):
    block = rect(Pos(2, 2), Pos(4, 4))
    s.board = where(not BORDER and not block, Tile.ROAD, s.board)
    outer = BORDER and ROW != COL and ROW + COL != 6
    for k in range(5):
        if k < PORCHES:
            side = block if chance(0.5) else outer
            s.board[random_cell(side and s.board == Tile.GARDEN and not at(Pos(3, 3)))] = Tile.PORCH
    s.agent = Pos(5, randint(2, 4))
    spawn(s.vans, pos=Pos(1, randint(2, 4)), heading=RIGHT)
    s.papers = PORCHES + SPARE
    s.bites = BITES

def step(s, act):
    if act.move != STAY:
        s.heading = act.move
        if solid(s.board[s.agent + act.move]):
            s.bites -= 1
            reward(-0.05)
    s.agent = try_move(s.agent, act.move)
    if act.throw and s.papers > 0:
        spot = s.agent + turn_right(s.heading)
        s.papers -= 1
        if s.board[spot] == Tile.PORCH:
            s.board[spot] = Tile.SERVED
            reward(0.15)
    for van in s.vans:
        if van.pos == s.agent:
            lose()
        if s.t % PACE == 0:
            if solid(s.board[van.pos + van.heading]):
                van.heading = turn_right(van.heading)
            van.pos = van.pos + van.heading
        if van.pos == s.agent:
            lose()
    if not any(s.board == Tile.PORCH):
        win()
    elif s.papers == 0 or s.bites == 0:
        lose()
