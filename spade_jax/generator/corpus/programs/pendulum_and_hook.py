"""Walk into the bob of the pendulum to push it, always along its swing, until it flies up to a side;
there one of you must run into the hook (top corner) while the bob hangs just below it."""
game = Game(size=(6, 9), players=2, max_steps=90, skills=["manipulation", "cooperation"])

PUSH = Param(0.7, 0.4, 1.1, harder="down")
WEIGHT = Param(0.08, 0.06, 0.12, harder="up")
DRAG = Param(0.99, 0.97, 1.0, harder="down")

class Tile(Enum):
    AIR = Look(".", "black")
    HOOK = Look("h", "gold", solid=True, goal=True)
    LATCHED = Look("L", "green", solid=True)

class State:
    pos: Players(Pos)
    swing: Float(-4.3, 4.3) = 0.0
    speed: Float(-1.5, 1.5) = 0.0
    best: Float(0.0, 5.0) = 0.5
    bob: Pos = Pos(5, 4)
    board: Grid(Tile, outside=Tile.LATCHED) = Tile.AIR

def hangs(x):
    """The cell of the bob: low in the middle, high at the sides."""
    return Pos(5 - floor(abs(x) + 0.5), 4 + round(x))

def reset(s):
    s.pos[0] = Pos(5, randint(0, 2))
    s.pos[1] = Pos(randint(0, 2), randint(5, 7))
    s.board[Pos(0, 0)] = Tile.HOOK
    s.board[Pos(0, 8)] = Tile.HOOK
    s.swing = uniform(-0.4, 0.4)
    s.bob = hangs(s.swing)

def step(s, acts):
    for i in players():
        target = s.pos[i] + acts[i].move
        if target == s.bob and acts[i].move != STAY:
            s.speed += PUSH * vec(acts[i].move).x
        else:
            s.pos[i] = try_move(s.pos[i], acts[i].move)
        high = s.bob.row == 1 and s.bob.col == target.col
        if s.board[target] == Tile.HOOK and high:
            s.board[target] = Tile.LATCHED
            win()
    s.speed -= WEIGHT * s.swing
    s.speed = DRAG * s.speed
    s.swing += s.speed
    s.bob = hangs(s.swing)
    if abs(s.swing) > s.best:
        reward(0.1 * (abs(s.swing) - s.best))
        s.best = abs(s.swing)

def view(s):
    disc(Vec2(s.swing, 2.5 - abs(s.swing)), 0.4, "red")
