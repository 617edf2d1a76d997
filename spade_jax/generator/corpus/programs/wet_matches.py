"""Stand beside the stove until your matches are dry, then carry them to the lamp. A drip from the
roof wets them again; a spark that touches you sets the box on fire and ends the game."""
game = Game(size=(7, 7), max_steps=90, skills=["avoidance", "resource"])

DRY = Param(8, 4, 14, harder="up")
SPARKS = Param(2, 1, 4, harder="up")
DRIPS = Param(0.25, 0.05, 0.5, harder="up")
HOP = Param(0.5, 0.2, 0.8, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    STOVE = Look("S", "orange", solid=True, tool=True)
    LAMP = Look("L", "gold", goal=True)

class Spark(Row):
    pos: Pos
    glow: Int(0, 12)

class Drip(Row):
    pos: Pos

class State:
    agent: Pos
    dry: Int(0, 14) = 0
    stove: Pos
    board: Grid(Tile, outside=Tile.STOVE) = Tile.FLOOR
    sparks: Table(Spark, 4)
    drips: Table(Drip, 4)

def reset(s):
    s.stove = Pos(randint(2, 4), randint(2, 4))
    s.board[s.stove] = Tile.STOVE
    far = s.board == Tile.FLOOR and BORDER
    s.board[random_cell(far)] = Tile.LAMP
    s.agent = random_cell(far and s.board == Tile.FLOOR)
    spawn(s.sparks, pos=s.stove + UP_LEFT, glow=10)

def step(s, act):
    """Sparks die out after a while; the stove throws new ones."""
    s.agent = try_move(s.agent, act.move)
    if chebyshev(s.agent, s.stove) == 1 and s.dry < DRY:
        s.dry += 1
        reward(0.03)
    for drip in s.drips:
        drip.pos = drip.pos + DOWN
        if drip.pos == s.agent:
            reward(-0.03 * min(s.dry, 4))
            s.dry -= 4
        if drip.pos == s.agent or drip.pos == s.stove or not inside(drip.pos):
            kill(drip)
    for spark in s.sparks:
        if chance(HOP):
            spark.pos = try_move(spark.pos, random_dir())
        spark.glow -= 1
        if spark.pos == s.agent:
            lose()
        if spark.glow == 0:
            kill(spark)
    if chance(DRIPS):
        spawn(s.drips, pos=Pos(0, randint(0, 6)))
    if count_alive(s.sparks) < SPARKS and chance(0.3):
        from_stove = s.stove + random_dir()
        if manhattan(from_stove, s.agent) > 1:
            spawn(s.sparks, pos=from_stove, glow=12)
    if s.dry >= DRY and s.board[s.agent] == Tile.LAMP:
        win()
