"""Collect flat scooters, two at a time at most, and bring them to the charger on your side. The
blackout spreads: it swallows scooters and makes you drop yours. Be first to charge enough."""
game = Game(size=(7, 9), players=2, max_steps=90, skills=["contest", "navigation"])

NEED = Param(6, 3, 9, harder="up")
SPREAD = Param(0.02, 0.005, 0.04, harder="up")

class Tile(Enum):
    STREET = Look(".", "black")
    HOUSE = Look("#", "gray", solid=True)
    SCOOTER = Look("s", "cyan", item=True)
    WEST = Look("W", "blue", goal=True)
    EAST = Look("E", "orange", goal=True)

class State:
    pos: Players(Pos)
    load: Players(Int(0, 2)) = 0
    charged: Players(Int(0, 10)) = 0
    dark: Grid(Bool) = False
    board: Grid(Tile, outside=Tile.HOUSE) = Tile.STREET

def reset(s):
    s.board = where(ROW % 2 == 1 and COL % 2 == 1 and COL != 4 and chance_grid(0.3), Tile.HOUSE, s.board)
    s.board[Pos(3, 0)] = Tile.WEST
    s.board[Pos(3, 8)] = Tile.EAST
    s.pos[0] = Pos(3, 0)
    s.pos[1] = Pos(3, 8)
    for k in range(6):
        s.board[random_cell(s.board == Tile.STREET and COL > 1 and COL < 7)] = Tile.SCOOTER
    s.dark[Pos(pick(0, 6), 4)] = True

def step(s, acts):
    for i in players():
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
        here = s.board[s.pos[i]]
        home = Tile.WEST if i == 0 else Tile.EAST
        if here == Tile.SCOOTER and s.load[i] < 2:
            s.load[i] += 1
            s.board[s.pos[i]] = Tile.STREET
            reward(0.02, i)
        elif here == home and s.load[i] > 0:
            s.charged[i] += s.load[i]
            reward(0.04 * s.load[i], i)
            s.load[i] = 0
        if s.dark[s.pos[i]]:
            s.load[i] = 0
    town = COL > 0 and COL < 8
    s.dark = s.dark or (town and chance_grid(SPREAD * neighbors4(s.dark)))
    s.board = where(s.dark and s.board == Tile.SCOOTER, Tile.STREET, s.board)
    lit = town and not s.dark and s.board == Tile.STREET and not at(s.pos[0]) and not at(s.pos[1])
    if count(s.board == Tile.SCOOTER) < 5 and any(lit) and chance(0.3):
        s.board[random_cell(lit)] = Tile.SCOOTER
    lead = s.charged[0] - s.charged[1]
    done = s.charged[0] >= NEED or s.charged[1] >= NEED or s.t >= 85
    if done and lead > 0:
        win(0)
    elif done and lead < 0:
        win(1)
    elif done:
        draw()
