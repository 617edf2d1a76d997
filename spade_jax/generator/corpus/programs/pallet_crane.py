"""The crane's trolley glides left and right. Drop each pallet onto an empty place or onto one that
leaves later (a number at least as large); dropped onto one that leaves sooner, all is lost."""
game = Game(size=(6, 7), max_steps=120, verbs=["drop"], skills=["continuous", "puzzle"], camera="board")

PALLETS = Param(6, 3, 10, harder="up")
GLIDE = Param(0.6, 0.2, 0.85, harder="up")
KINDS = Param(4, 2, 6, harder="up")

class State:
    trolley: Vec2(-3.4, 3.4)
    speed: Vec2(-0.8, 0.8)
    hangs: Int(1, 6) = 1
    done: Int(0, 10) = 0
    stacks: Grid(Int(0, 6)) = 0

def reset(s):
    s.trolley = Vec2(uniform(-3.0, 3.0), -2.5)
    s.hangs = randint(1, KINDS)

def step(s, act):
    """Row 0 is the crane's; a stack that reaches row 1 is full."""
    side = 0.2 if act.move == RIGHT else -0.2 if act.move == LEFT else 0.0
    s.speed = Vec2(GLIDE * s.speed.x + side, 0.0)
    s.trolley += s.speed
    if act.drop:
        col = cell(s.trolley).col
        free = count(COL == col and ROW > 0 and s.stacks == 0)
        if free > 0:
            spot = Pos(free, col)
            below = spot + DOWN
            if inside(below) and s.stacks[below] < s.hangs:
                lose()
            s.stacks[spot] = s.hangs
            s.done += 1
            reward(0.08)
            s.hangs = randint(1, KINDS)
    if s.done >= PALLETS:
        win()

def view(s):
    disc(s.trolley, 0.3, "white")
