"""Run along the branches and leap (up), steering in the air, to the acorn at the top. Land on a
branch or fall back; a hawk that touches you ends the climb."""
game = Game(size=(9, 9), max_steps=130, skills=["continuous", "avoidance"], camera="board")

HAWKS = Param(1, 0, 3, harder="up")
SPEED = Param(0.2, 0.1, 0.5, harder="up")
REACH = Param(2, 1, 3, harder="down")

class Tile(Enum):
    AIR = Look(".", "black")
    BRANCH = Look("=", "brown")
    ACORN = Look("a", "gold", goal=True)

class Hawk(Row):
    pos: Vec2(-4.4, 4.4)
    heading: Float(-1.0, 1.0)

class State:
    squirrel: Vec2(-4.4, 4.4)
    leap: Vec2(-1.0, 1.0)
    top: Int(0, 8) = 8
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR
    hawks: Table(Hawk, 3)

def reset(s):
    mid = randint(2, 6)
    for k in range(4):
        mid = clip(mid + randint(-2, 2), 1, 7)
        s.board = where(ROW == 8 - 2 * k and abs(COL - mid) <= REACH, Tile.BRANCH, s.board)
    s.board = where(ROW == 8, Tile.BRANCH, s.board)
    s.board[Pos(1, mid)] = Tile.ACORN
    s.squirrel = Vec2(uniform(-3.0, 3.0), 3.0)
    for k in range(3):
        if k < HAWKS:
            spawn(s.hawks, pos=Vec2(uniform(-4.0, 4.0), 1.0 - 2.0 * k), heading=1.0)

def step(s, act):
    """Row r of the board has its middle at y = r - 4."""
    spot = cell(s.squirrel)
    side = 0.45 if act.move == RIGHT else -0.45 if act.move == LEFT else 0.5 * s.leap.x
    fall = s.leap.y + 0.22
    if s.board[spot + DOWN] == Tile.BRANCH and s.leap.y >= 0.0:
        s.squirrel = Vec2(s.squirrel.x, spot.row - 4.0)
        fall = -0.98 if act.move == UP else 0.0
    s.leap = Vec2(side, min(fall, 0.9))
    s.squirrel += s.leap
    height = cell(s.squirrel).row
    reward(0.03 * max(s.top - height, 0))
    s.top = min(s.top, height)
    for h in s.hawks:
        if abs(h.pos.x) > 4.0:
            h.heading = -sign(h.pos.x)
        h.pos = Vec2(h.pos.x + SPEED * h.heading, h.pos.y)
        if cell(h.pos) == cell(s.squirrel):
            lose()
    if s.board[cell(s.squirrel)] == Tile.ACORN:
        win()

def view(s):
    disc(s.squirrel, 0.4, "orange")
    for h in s.hawks:
        disc(h.pos, 0.4, "red")
