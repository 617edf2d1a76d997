"""Stand on a high spot of the board and use the plane: each stroke takes one off. Bring all spots to
zero, none below. The motor blades that run along the bench must not touch you."""
game = Game(size=(7, 9), max_steps=90, verbs=["use"], skills=["avoidance"])

SPOTS = Param(3, 1, 7, harder="up")
HIGH = Param(2, 1, 4, harder="up")
BLADES = Param(1, 1, 3, harder="up")

class Blade(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos = Pos(6, 4)
    spoilt: Int(0, 3) = 0
    heights: Grid(Int(0, 4)) = 0
    blades: Table(Blade, 3)

def reset(s):
    for k in range(7):
        if k < SPOTS:
            s.heights[random_cell(s.heights == 0 and ROW > 0 and ROW < 6)] = randint(1, HIGH)
    for k in range(3):
        if k < BLADES:
            spawn(s.blades, pos=Pos(1 + 2 * k, randint(0, 8)), heading=RIGHT)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.use:
        if s.heights[s.agent] > 0:
            s.heights[s.agent] -= 1
            reward(0.06)
        else:
            s.spoilt += 1
    for b in s.blades:
        if not inside(b.pos + b.heading):
            b.heading = opposite(b.heading)
            b.pos = Pos(randint(1, 5), b.pos.col)
        b.pos = b.pos + b.heading
        if b.pos == s.agent:
            lose()
    if not any(s.heights > 0):
        win()
    elif s.spoilt == 3:
        lose()
