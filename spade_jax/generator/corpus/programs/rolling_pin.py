"""Your pin keeps rolling the way it faces; a move turns it. Roll each lump of dough once sideways and
once up or down to make it flat. Never run into an egg that rolls to and fro."""
game = Game(size=(7, 7), max_steps=80, skills=["avoidance"])

LUMPS = Param(2, 1, 5, harder="up")
EGGS = Param(1, 1, 3, harder="up")
LIVELY = Param(0.5, 0.2, 1.0, harder="up")

class Tile(Enum):
    COUNTER = Look(".", "black")
    LUMP = Look("o", "gold", goal=True)
    WIDE = Look("-", "orange", goal=True, marker=True)
    LONG = Look("i", "yellow", goal=True, marker=True)
    FLAT = Look("_", "white")

class Egg(Row):
    pos: Pos
    heading: Dir

class State:
    pin: Pos = Pos(3, 3)
    facing: Dir = UP
    eggs: Table(Egg, 3)
    board: Grid(Tile, outside=Tile.COUNTER) = Tile.COUNTER

def reset(s):
    s.facing = random_dir()
    for k in range(5):
        if k < LUMPS:
            s.board[random_cell(s.board == Tile.COUNTER and not BORDER and not at(s.pin))] = Tile.LUMP
    for k in range(3):
        if k < EGGS:
            spawn(s.eggs, pos=random_cell(BORDER), heading=random_dir())

def step(s, act):
    if act.move != STAY:
        s.facing = act.move
    before = s.pin
    s.pin = try_move(s.pin, s.facing)
    sideways = s.facing == LEFT or s.facing == RIGHT
    here = s.board[s.pin]
    if s.pin != before:
        if here == Tile.LUMP:
            s.board[s.pin] = Tile.WIDE if sideways else Tile.LONG
            reward(0.08)
        elif (here == Tile.WIDE and not sideways) or (here == Tile.LONG and sideways):
            s.board[s.pin] = Tile.FLAT
            reward(0.12)
    for e in s.eggs:
        if e.pos == s.pin:
            lose()
        if not inside(e.pos + e.heading):
            e.heading = opposite(e.heading)
        if chance(LIVELY):
            e.pos = e.pos + e.heading
        if e.pos == s.pin:
            lose()
    if all(s.board == Tile.COUNTER or s.board == Tile.FLAT):
        win()
