"""Dusk moves over the street from the west: light all lamps. Footpads come out of unknown doors
where it is dark and hunt you, but flee the light of a lamp."""
game = Game(size=(9, 11), max_steps=90, skills=["avoidance", "navigation", "memory"])

LAMPS = Param(5, 3, 8, harder="up")
BOLD = Param(0.45, 0.1, 0.8, harder="up")
HOMES = Param(2, 1, 4, harder="up")

class Tile(Enum):
    STREET = Look(".", "black")
    DUSK = Look(",", "darkgray")
    HOUSE = Look("#", "brown", solid=True)
    UNLIT = Look("o", "white", goal=True)
    LIT = Look("*", "yellow", marker=True)

class Pad(Row):
    pos: Pos

class State:
    agent: Pos
    lairs: Hidden(Grid(Bool)) = False
    pads: Table(Pad, 3)
    board: Grid(Tile, outside=Tile.HOUSE) = Tile.STREET

def reset(s):
    s.board = where(ROW % 3 == 1 and COL % 4 != 0 and not BORDER, Tile.HOUSE, s.board)
    s.agent = random_cell(s.board == Tile.STREET and COL > 7)
    for k in range(8):
        if k < LAMPS:
            s.board[random_cell(s.board == Tile.STREET and not at(s.agent))] = Tile.UNLIT
    for k in range(4):
        if k < HOMES:
            s.lairs[random_cell(s.board == Tile.STREET and COL < 8 and not s.lairs)] = True

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.UNLIT:
        s.board[s.agent] = Tile.LIT
        reward(0.08)
    s.board = where(s.board == Tile.STREET and COL * 7 <= s.t, Tile.DUSK, s.board)
    out = s.lairs and s.board == Tile.DUSK and not disk(s.agent, 2.0)
    if any(out) and chance(0.12):
        spawn(s.pads, pos=random_cell(out))
    for p in s.pads:
        glow = nearest(s.board == Tile.LIT, p.pos)
        if manhattan(glow, p.pos) <= 2 and inside(glow):
            p.pos = try_move(p.pos, away(p.pos, glow))
        elif chance(BOLD):
            p.pos = try_move(p.pos, toward(p.pos, s.agent))
        if p.pos == s.agent:
            lose()
    if not any(s.board == Tile.UNLIT):
        win()
