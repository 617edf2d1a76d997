"""Your coal cart rolls along the grate; drop coal where it burns low. If a part of the grate is bare
the fire goes out there and all is lost; too high a heap chokes it. Hold out until the kettle boils."""
game = Game(size=(6, 7), max_steps=80, verbs=["drop"], skills=["continuous", "avoidance"], camera="board")

BOIL = Param(50, 25, 75, harder="up")
BURN = Param(0.06, 0.02, 0.12, harder="up")
ROLL = Param(0.5, 0.2, 0.8, harder="up")

class State:
    cart: Vec2(-3.4, 3.4)
    speed: Vec2(-0.9, 0.9)
    coal: Grid(Bool) = False

def reset(s):
    """Row 0 is the rail; the heaps grow from row 5 upwards."""
    s.cart = Vec2(0.0, -2.5)
    s.coal = ROW > 3

def step(s, act):
    side = 0.25 if act.move == RIGHT else -0.25 if act.move == LEFT else 0.0
    s.speed = Vec2(ROLL * s.speed.x + side, 0.0)
    s.cart += s.speed
    col = cell(s.cart).col
    pile = count(s.coal and COL == col)
    if act.drop:
        s.coal[Pos(5 - pile, col)] = True
        if pile == 0 or pile == 1:
            reward(0.02)
    burning = s.coal and not shift(s.coal, DOWN) and chance_grid(BURN)
    s.coal = s.coal and not burning
    bare = False
    for k in range(7):
        heap = count(s.coal and COL == k)
        bare = bare or heap == 0 or heap > 4
    if bare:
        lose()
    elif s.t + 1 >= BOIL:
        win()

def view(s):
    disc(s.cart, 0.4, "gray")
