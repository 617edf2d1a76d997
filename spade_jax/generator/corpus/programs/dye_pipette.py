"""Glide the pipette: over a vat it sucks up a drop, over the flask it lets it fall. Mix exactly as
many red and yellow drops as asked for; one too many spoils it. Gliding fast spills; the sink empties."""
game = Game(size=(9, 9), max_steps=120, skills=["continuous", "resource"])

MOST = Param(2, 1, 3, harder="up")
STEADY = Param(0.65, 0.45, 0.9, harder="down")
THRUST = Param(0.22, 0.15, 0.3, harder="up")

class Tile(Enum):
    BENCH = Look(".", "black")
    RED_VAT = Look("r", "red", resource=True)
    YELLOW_VAT = Look("y", "yellow", resource=True)
    FLASK = Look("F", "orange", goal=True)
    SINK = Look("s", "gray", tool=True)

class State:
    pos: Vec2(-4.4, 4.4)
    vel: Vec2(-1.0, 1.0)
    flask: Vec2(-4.4, 4.4)
    load: Int(0, 2) = 0
    red_left: Int(-1, 3) = 1
    yellow_left: Int(-1, 3) = 1
    board: Grid(Tile) = Tile.BENCH

def reset(s):
    s.board = where(rect(Pos(3, 0), Pos(5, 1)), Tile.RED_VAT, s.board)
    s.board = where(rect(Pos(3, 7), Pos(5, 8)), Tile.YELLOW_VAT, s.board)
    side = pick(-1.0, 1.0)
    s.flask = Vec2(uniform(-2.0, 2.0), 3.0 * side)
    s.board = where(disk(cell(s.flask), 1.0), Tile.FLASK, s.board)
    s.board = where(disk(cell(Vec2(0.0, -3.0 * side)), 0.5), Tile.SINK, s.board)
    s.red_left = randint(1, MOST)
    s.yellow_left = randint(1, MOST)

def step(s, act):
    s.vel = 0.8 * s.vel + THRUST * vec(act.move)
    s.pos += s.vel
    here = s.board[cell(s.pos)]
    if s.load > 0 and length(s.vel) > STEADY:
        s.load = 0
        reward(-0.04)
    if s.load == 0:
        if here == Tile.RED_VAT and length(s.vel) <= STEADY:
            s.load = 1
            reward(0.04)
        elif here == Tile.YELLOW_VAT and length(s.vel) <= STEADY:
            s.load = 2
            reward(0.04)
    elif here == Tile.SINK:
        s.load = 0
        reward(-0.04)
    elif here == Tile.FLASK:
        if s.load == 1:
            s.red_left -= 1
        else:
            s.yellow_left -= 1
        s.load = 0
        if s.red_left < 0 or s.yellow_left < 0:
            lose()
        elif s.red_left + s.yellow_left == 0:
            win()
        reward(0.1)

def view(s):
    disc(s.pos, 0.4, 0)
    ring(s.flask, 1.0, "orange")
