"""Use pours one measure onto the plants at your feet and on the four cells beside you. Bring every
plant to exactly zero thirst before the can is empty; a drowned plant loses."""
game = Game(size=(6, 6), max_steps=90, verbs=["use"], skills=["puzzle"])

POURS = Param(4, 2, 7, harder="up")
SPARE = Param(0.4, 0.0, 1.0, harder="down")
PLANTS = Param(0.5, 0.35, 0.8, harder="up")

class State:
    agent: Pos = Pos(3, 3)
    water: Float(0.0, 14.0) = 4.0
    plants: Grid(Bool) = False
    thirst: Grid(Int(-1, 8)) = 0

def reset(s):
    """Thirst is what some number of pours would have quenched: it can be done."""
    s.plants = chance_grid(PLANTS)
    for k in range(7):
        if k < POURS:
            spot = Pos(randint(0, 5), randint(0, 5))
            s.thirst = where(s.plants and disk(spot, 1.0), s.thirst + 1, s.thirst)
    if not any(s.thirst > 0):
        s.plants = s.plants or at(Pos(1, 1))
        s.thirst[Pos(1, 1)] = 1
    s.water = (1.0 + SPARE) * POURS

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.use and s.water >= 1.0:
        s.water -= 1.0
        before = total(s.thirst)
        s.thirst = where(s.plants and disk(s.agent, 1.0), s.thirst - 1, s.thirst)
        reward(0.03 * (before - total(s.thirst)))
        if any(s.thirst < 0):
            lose()
    if not any(s.thirst > 0):
        win()
    elif s.water < 1.0:
        lose()
