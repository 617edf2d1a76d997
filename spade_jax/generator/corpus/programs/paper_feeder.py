"""Sheets come down the table. Walk against a sheet from its side to push it over, so that it enters
the slot at the bottom. Print enough; too many that miss jam the press."""
game = Game(size=(9, 7), max_steps=150, skills=["manipulation"])

PRINT = Param(4, 2, 8, harder="up")
JAMS = Param(3, 1, 5, harder="down")
PACE = Param(4, 2, 6, harder="down")

class Tile(Enum):
    TABLE = Look(".", "black")
    PRESS = Look("#", "gray", hazard=True)
    SLOT = Look("=", "green", goal=True)

class Sheet(Row):
    pos: Pos

class State:
    agent: Pos = Pos(5, 3)
    slot: Int(1, 4) = 3
    printed: Int(0, 8) = 0
    jammed: Int(0, 5) = 0
    board: Grid(Tile, outside=Tile.PRESS) = Tile.TABLE
    sheets: Table(Sheet, 3)

def reset(s):
    s.slot = randint(1, 4)
    s.board = where(ROW == 8, where(COL == s.slot or COL == s.slot + 1, Tile.SLOT, Tile.PRESS), s.board)
    spawn(s.sheets, pos=Pos(2, randint(0, 6)))

def step(s, act):
    ahead = s.agent + act.move
    sideways = act.move == LEFT or act.move == RIGHT
    blocked = False
    for p in s.sheets:
        if p.pos == ahead and act.move != STAY:
            if sideways and inside(p.pos + act.move) and not any_at(s.sheets, p.pos + act.move):
                p.pos = p.pos + act.move
            else:
                blocked = True
    if not blocked and inside(ahead) and ahead.row < 8:
        s.agent = ahead
    falls = (s.t + 1) % PACE == 0
    for p in s.sheets:
        if falls and p.pos + DOWN != s.agent:
            p.pos = p.pos + DOWN
        if p.pos.row >= 8:
            if s.board[p.pos] == Tile.SLOT:
                s.printed += 1
                reward(0.12)
            else:
                s.jammed += 1
                reward(-0.05)
            kill(p)
    if falls and chance(0.35) and not any(occupied(s.sheets) and ROW == 0):
        spawn(s.sheets, pos=Pos(0, randint(0, 6)))
    if s.jammed >= JAMS:
        lose()
    elif s.printed >= PRINT:
        win()
