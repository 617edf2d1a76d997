"""Turn every light off: flip presses the light under you, which toggles it and its neighbours."""
game = Game(size=(5, 5), max_steps=80, verbs=["flip"], skills=["puzzle"])

PRESSES = Param(3, 1, 8, harder="up")

class State:
    cursor: Pos = Pos(2, 2)
    lit: Grid(Bool) = False

def reset(s):
    for k in range(8):
        if k < PRESSES:
            s.lit = s.lit != disk(Pos(randint(0, 4), randint(0, 4)), 1.0)
    if not any(s.lit):
        s.lit = disk(s.cursor, 1.0)

def step(s, act):
    s.cursor = try_move(s.cursor, act.move)
    if act.flip:
        before = count(s.lit)
        s.lit = s.lit != disk(s.cursor, 1.0)
        reward(0.03 * (before - count(s.lit)))
    if not any(s.lit):
        win()
