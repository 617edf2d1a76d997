"""Run to the bell that is lit, again and again, until the melody is done. Clappers swing across the
tower, slow at the ends and fast in the middle: do not be hit."""
game = Game(size=(9, 9), max_steps=80, skills=["avoidance", "navigation"])

NOTES = Param(3, 1, 6, harder="up")
CLAPPERS = Param(2, 1, 3, harder="up")
PULL = Param(0.012, 0.005, 0.03, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    BELL = Look("b", "brown", marker=True)
    LIT = Look("B", "gold", goal=True)

class Clapper(Row):
    pos: Vec2(-4.4, 4.4)
    speed: Float(-0.8, 0.8)

class State:
    agent: Pos
    rung: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    clappers: Table(Clapper, 3)

def reset(s):
    s.agent = Pos(8, 4)
    for k in range(4):
        s.board[Pos(0 if k < 2 else 6, 1 + 6 * (k % 2))] = Tile.BELL
    s.board[random_cell(s.board == Tile.BELL)] = Tile.LIT
    for k in range(3):
        if k < CLAPPERS:
            spawn(s.clappers, pos=Vec2(uniform(-4.0, 4.0), -3.0 + 2.0 * k), speed=0.0)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.LIT:
        s.rung += 1
        reward(0.15)
        following = random_cell(s.board == Tile.BELL)
        s.board[s.agent] = Tile.BELL
        s.board[following] = Tile.LIT
    for c in s.clappers:
        c.speed -= PULL * c.pos.x
        c.pos = Vec2(c.pos.x + c.speed, c.pos.y)
        if cell(c.pos) == s.agent:
            lose()
    if s.rung >= NOTES:
        win()

def view(s):
    for c in s.clappers:
        bar(Vec2(0.0, -4.5), c.pos, "gray")
        disc(c.pos, 0.5, "red")
