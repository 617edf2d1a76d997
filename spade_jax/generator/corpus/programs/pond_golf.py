"""Both players strike their own ball, whenever it lies still, towards the hole: sand brakes, water
sends it back to its tee, ducks stop it. First in the hole wins."""
game = Game(size=(9, 11), players=2, max_steps=100, skills=["contest", "continuous"])

CUP = Param(0.9, 0.5, 1.4, harder="down")
WATER = Param(2, 0, 4, harder="up")
DUCKS = Param(2, 0, 3, harder="up")

class Tile(Enum):
    GREEN = Look(".", "darkgreen")
    SAND = Look(":", "yellow")
    WATER = Look("~", "blue", hazard=True)
    HOLE = Look("H", "white", goal=True)

class Duck(Row):
    pos: Pos

class State:
    ball: Players(Vec2(-5.4, 5.4))
    roll_speed: Players(Vec2(-1.0, 1.0))
    hole: Vec2(-5.4, 5.4)
    board: Grid(Tile, outside=Tile.SAND) = Tile.GREEN
    ducks: Table(Duck, 3)

def tee(i):
    return Vec2(-5.0, -2.0 + 4.0 * i)

def reset(s):
    s.hole = Vec2(4.0, uniform(-2.0, 2.0))
    far = COL > 2 and not disk(cell(s.hole), 1.5)
    for k in range(4):
        if k < WATER:
            s.board = where(disk(random_cell(far), 1.0) and far, Tile.WATER, s.board)
    s.board = where(s.board == Tile.GREEN and chance_grid(0.1), Tile.SAND, s.board)
    s.board[cell(s.hole)] = Tile.HOLE
    for i in players():
        s.ball[i] = tee(i)
    for k in range(3):
        if k < DUCKS:
            spawn(s.ducks, pos=random_cell(COL > 3 and COL < 8))

def step(s, acts):
    for d in s.ducks:
        if chance(0.3):
            d.pos = try_move(d.pos, random_dir())
    for i in players():
        if length(s.roll_speed[i]) < 0.1:
            s.roll_speed[i] = 0.8 * vec(acts[i].move)
        ahead = s.ball[i] + s.roll_speed[i]
        if any_at(s.ducks, cell(ahead)):
            s.roll_speed[i] = -0.5 * s.roll_speed[i]
        s.ball[i] += s.roll_speed[i]
        under = s.board[cell(s.ball[i])]
        s.roll_speed[i] = (0.4 if under == Tile.SAND else 0.75) * s.roll_speed[i]
        if under == Tile.WATER:
            s.ball[i] = tee(i)
            s.roll_speed[i] = Vec2(0.0, 0.0)
    first = length(s.ball[0] - s.hole) < CUP
    second = length(s.ball[1] - s.hole) < CUP
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)

def view(s):
    for i in players():
        disc(s.ball[i], 0.3, i)
