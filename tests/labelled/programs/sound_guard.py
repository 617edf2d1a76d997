"""Slip past the guard who walks up and down the hall, and reach the exit."""
game = Game(size=(5, 9), max_steps=40, skills=["avoidance"])

HASTE = Param(0.8, 0.2, 1.0, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    EXIT = Look("E", "green", goal=True)

class Guard(Row):
    pos: Pos
    heading: Dir = DOWN

class State:
    thief: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    guards: Table(Guard, 2)
    best: Int(0, 8) = 0

def reset(s):
    s.thief = Pos(randint(0, 4), 0)
    s.board[Pos(randint(0, 4), 8)] = Tile.EXIT
    spawn(s.guards, pos=Pos(randint(0, 4), 3))
    spawn(s.guards, pos=Pos(randint(0, 4), 6), heading=UP)

def step(s, act):
    dest = s.thief + act.move
    if inside(dest):
        s.thief = dest
    for g in s.guards:
        if not inside(g.pos + g.heading):
            g.heading = opposite(g.heading)
        if chance(HASTE):
            g.pos = g.pos + g.heading
        if chebyshev(g.pos, s.thief) < 1:
            lose()
    if s.thief.col > s.best:
        s.best = s.thief.col
        reward(0.05)
    if s.board[s.thief] == Tile.EXIT:
        win()
