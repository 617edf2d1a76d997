"""Two astronauts mend panels (use) on the hull. Air runs down outside; the lock fills it, and beside
your partner you can feed some over. Debris that hits takes air away. Nobody may run out."""
game = Game(size=(7, 7), players=2, max_steps=90, verbs=["use", "feed"], skills=["resource", "cooperation"])

PANELS = Param(3, 1, 6, harder="up")
AIR = Param(24, 14, 40, harder="down")
DEBRIS = Param(0.15, 0.0, 0.4, harder="up")

class Tile(Enum):
    HULL = Look(".", "darkgray")
    LOCK = Look("L", "cyan", resource=True)
    BROKEN = Look("x", "orange", goal=True)
    MENDED = Look("=", "gray", marker=True)

class Rock(Row):
    pos: Pos
    heading: Dir

class State:
    pos: Players(Pos)
    air: Players(Int(0, 40)) = 24
    board: Grid(Tile, outside=Tile.HULL) = Tile.HULL
    rocks: Table(Rock, 4)

def reset(s):
    s.board[Pos(6, 3)] = Tile.LOCK
    s.pos[0] = Pos(6, 2)
    s.pos[1] = Pos(6, 4)
    for k in range(6):
        if k < PANELS:
            s.board[random_cell(s.board == Tile.HULL and ROW < 5)] = Tile.BROKEN
    for i in players():
        s.air[i] = AIR

def step(s, acts):
    for i in players():
        j = opponent(i)
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        s.air[i] -= 1
        if s.board[s.pos[i]] == Tile.LOCK:
            s.air[i] = AIR
        if acts[i].use and s.board[s.pos[i]] == Tile.BROKEN:
            s.board[s.pos[i]] = Tile.MENDED
            reward(0.15)
        if acts[i].feed and manhattan(s.pos[i], s.pos[j]) <= 1 and s.air[i] > 6:
            s.air[i] -= 5
            s.air[j] += 5
    if chance(DEBRIS):
        east = chance(0.5)
        spawn(s.rocks, pos=Pos(randint(0, 5), 0 if east else 6), heading=RIGHT if east else LEFT)
    for r in s.rocks:
        for i in players():
            if r.pos == s.pos[i]:
                s.air[i] -= 6
        r.pos = r.pos + r.heading
        if not inside(r.pos):
            kill(r)
    if not any(s.board == Tile.BROKEN):
        win()
    elif s.air[0] == 0 or s.air[1] == 0:
        lose()
