"""The tractor drives on by itself; left and right turn it. It leaves a furrow behind which it must never
cross, nor may it leave the field. Drive over cans for diesel and plough enough ground."""
game = Game(size=(9, 9), max_steps=90, skills=["continuous", "avoidance"])

GROUND = Param(14, 7, 26, harder="up")
TURN = Param(0.5, 0.35, 0.8, harder="down")
DIESEL = Param(30.0, 20.0, 45.0, harder="down")
SPEED = Param(0.45, 0.35, 0.6, harder="up")

class Tile(Enum):
    FIELD = Look(".", "brown")
    FURROW = Look("=", "darkred", hazard=True)
    CAN = Look("c", "gold", item=True)
    HEDGE = Look("#", "green", hazard=True)

class State:
    tractor: Vec2(-5.0, 5.0) = Vec2(0.0, 3.0)
    heading: Vec2(-1.0, 1.0) = Vec2(0.0, -1.0)
    diesel: Float(0.0, 60.0) = 30.0
    ploughed: Int(0, 40) = 0
    last: Pos
    board: Grid(Tile, outside=Tile.HEDGE) = Tile.FIELD

def reset(s):
    s.diesel = DIESEL
    s.tractor = Vec2(uniform(-2.0, 2.0), 3.0)
    s.last = cell(s.tractor)
    for k in range(3):
        s.board[random_cell(s.board == Tile.FIELD and not BORDER and ROW < 6)] = Tile.CAN

def step(s, act):
    s.heading = normalize(rotate(s.heading, TURN * vec(act.move).x))
    s.tractor += SPEED * s.heading
    s.diesel -= 1.0
    now = cell(s.tractor)
    if now != s.last:
        s.board[s.last] = Tile.FURROW
        s.last = now
        s.ploughed += 1
        reward(0.03)
        if s.board[now] == Tile.CAN:
            s.board[now] = Tile.FIELD
            s.diesel += 20.0
        elif s.board[now] != Tile.FIELD:
            lose()
    if s.ploughed >= GROUND:
        win()
    elif s.diesel <= 0.0:
        lose()

def view(s):
    disc(s.tractor, 0.4, "red")
    bar(s.tractor, s.tractor + 0.8 * s.heading, "white")
