"""Cross the snow bridge to the other side and back again to rope up the team. Icicles come loose and
fall faster and faster: do not stand where one comes down."""
game = Game(size=(9, 9), max_steps=90, skills=["avoidance", "navigation"])

CROSSINGS = Param(3, 1, 6, harder="up")
ICICLES = Param(0.2, 0.05, 0.5, harder="up")
WEIGHT = Param(0.06, 0.03, 0.12, harder="up")

class Tile(Enum):
    AIR = Look(".", "blue", solid=True)
    BRIDGE = Look("=", "white")
    LEDGE = Look("L", "gray")
    ANCHOR = Look("A", "green", goal=True)

class Icicle(Row):
    pos: Vec2(-4.5, 4.5)
    speed: Float(0.0, 1.0)

class State:
    agent: Pos = Pos(7, 0)
    crossed: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR
    icicles: Table(Icicle, 5)

def reset(s):
    s.board = where(ROW > 5 and ROW < 8, Tile.BRIDGE, s.board)
    s.board = where(s.board == Tile.BRIDGE and (COL == 0 or COL == 8), Tile.LEDGE, s.board)
    s.agent = Pos(7, 0)
    s.board[Pos(randint(6, 7), 8)] = Tile.ANCHOR

def step(s, act):
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.ANCHOR and s.agent != before:
        s.crossed += 1
        reward(0.15)
        s.board[s.agent] = Tile.LEDGE
        s.board[Pos(randint(6, 7), 8 - s.agent.col)] = Tile.ANCHOR
    if chance(ICICLES):
        spawn(s.icicles, pos=Vec2(randint(-3, 3), -4.0), speed=0.0)
    for i in s.icicles:
        i.speed += WEIGHT
        i.pos = Vec2(i.pos.x, i.pos.y + i.speed)
        if cell(i.pos) == s.agent:
            lose()
        if i.pos.y > 3.6:
            kill(i)
    if s.crossed >= CROSSINGS:
        win()

def view(s):
    for i in s.icicles:
        bar(i.pos, i.pos + Vec2(0.0, 0.5), "cyan")
