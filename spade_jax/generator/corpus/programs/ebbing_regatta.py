"""Two boats race to the right-hand bank. Pull when the beat has run its time: too soon catches a
crab, too late is weak. Steer up and down round the reeds; the ebb leaves mud behind that strands you."""
game = Game(size=(5, 14), players=2, max_steps=90, verbs=["pull"], skills=["contest", "continuous"])

BEAT = Param(3, 2, 4, harder="up")
EBB = Param(0.13, 0.05, 0.2, harder="up")
REEDS = Param(0.15, 0.0, 0.3, harder="up")

class Tile(Enum):
    WATER = Look(".", "blue")
    REED = Look("r", "green", hazard=True)
    MUD = Look("m", "brown", solid=True)
    BANK = Look("B", "gold", goal=True)

class State:
    boat: Players(Pos)
    run: Players(Float(0.0, 13.5)) = 2.0
    speed: Players(Float(0.0, 1.0)) = 0.0
    since: Players(Int(0, 8)) = 0
    ebb: Float(-2.0, 13.0) = -2.0
    board: Grid(Tile, outside=Tile.MUD) = Tile.WATER

def reset(s):
    reeds = chance_grid(REEDS) and COL > 3 and COL < 13 and ROW < 2
    s.board = where(reeds, Tile.REED, s.board)
    for r in range(2):
        for c in range(4, 13):
            s.board[Pos(4 - r, c)] = s.board[Pos(r, c)]
    s.board = where(COL == 13, Tile.BANK, s.board)
    s.boat[0] = Pos(1, 2)
    s.boat[1] = Pos(3, 2)

def step(s, acts):
    s.ebb += EBB
    s.board = where(COL < floor(s.ebb), Tile.MUD, s.board)
    for i in players():
        s.since[i] += 1
        if acts[i].pull:
            if s.since[i] < BEAT:
                s.speed[i] = 0.5 * s.speed[i]
            elif s.since[i] == BEAT:
                s.speed[i] += 0.4
            else:
                s.speed[i] += 0.2
            s.since[i] = 0
        if acts[i].move == UP or acts[i].move == DOWN:
            s.boat[i].row = clip((s.boat[i] + acts[i].move).row, 0, 4)
        if s.board[s.boat[i]] == Tile.REED:
            s.speed[i] = min(s.speed[i], 0.15)
        s.run[i] += s.speed[i]
        s.speed[i] = 0.85 * s.speed[i]
        s.boat[i].col = floor(s.run[i])
    home0 = s.run[0] >= 13.0 or s.run[1] < s.ebb
    home1 = s.run[1] >= 13.0 or s.run[0] < s.ebb
    if home0 and home1:
        draw()
    elif home0:
        win(0)
    elif home1:
        win(1)
