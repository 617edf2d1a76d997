"""Your puck glides over the dice: each die it runs onto is thrown. Stop and take a die to keep its
eyes; three may be kept, and together they must reach the goal. Some dice are loaded."""
game = Game(size=(7, 7), max_steps=90, verbs=["take"], skills=["continuous", "memory"])

GOAL = Param(13, 6, 16, harder="up")
SLICK = Param(0.6, 0.3, 0.85, harder="up")
LOADED = Param(0.4, 0.0, 0.8, harder="down")

class State:
    puck: Vec2(-3.4, 3.4)
    speed: Vec2(-0.9, 0.9)
    kept: Int(0, 3) = 0
    eyes: Int(0, 18) = 0
    lucky: Hidden(Grid(Bool)) = False
    dice: Grid(Bool) = False
    faces: Grid(Int(0, 6)) = 0

def reset(s):
    s.dice = ROW % 3 == 0 and COL % 3 == 0 and not at(Pos(3, 3))
    s.lucky = s.dice and chance_grid(LOADED)
    s.faces = where(s.dice, 1, 0)

def step(s, act):
    before = cell(s.puck)
    s.speed = SLICK * s.speed + 0.22 * vec(act.move)
    s.puck += s.speed
    here = cell(s.puck)
    if s.dice[here] and here != before:
        s.faces[here] = randint(3, 6) if s.lucky[here] else randint(1, 6)
    if act.take and s.dice[here]:
        s.eyes += s.faces[here]
        reward(0.02 * s.faces[here])
        s.kept += 1
        s.dice[here] = False
        s.faces[here] = 0
    if s.eyes >= GOAL:
        win()
    elif s.kept == 3:
        lose()

def view(s):
    disc(s.puck, 0.3, "white")
