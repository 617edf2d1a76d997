"""Light all nine lamps: flip turns the lamp under you and its four neighbours on or off."""
game = Game(size=(5, 5), max_steps=40, verbs=["flip"], skills=["puzzle"])

PUSHES = Param(1, 1, 4, harder="up")

class Lamp(Enum):
    FLOOR = Look(".", "black")
    OFF = Look("o", "gray", marker=True)
    ON = Look("*", "yellow", marker=True)

class State:
    pos: Pos
    grid: Grid(Lamp, outside=Lamp.FLOOR) = Lamp.FLOOR

def toggled(grid, p):
    lit = where(disk(p, 1.0) and grid == Lamp.OFF, Lamp.ON, grid)
    return where(disk(p, 1.0) and grid == Lamp.ON, Lamp.OFF, lit)

def reset(s):
    s.grid = where(rect(Pos(1, 1), Pos(3, 3)), Lamp.ON, s.grid)
    for k in range(4):
        if k < PUSHES:
            s.grid = toggled(s.grid, Pos(randint(1, 3), randint(1, 3)))
    if not any(s.grid == Lamp.OFF):
        s.grid = toggled(s.grid, Pos(2, 2))
    s.pos = random_cell(rect(Pos(1, 1), Pos(3, 3)))

def step(s, act):
    s.pos = try_move(s.pos, act.move)
    if act.flip:
        dark = count(s.grid == Lamp.OFF)
        s.grid = toggled(s.grid, s.pos)
        reward(0.05 * (dark - count(s.grid == Lamp.OFF)))
        if not any(s.grid == Lamp.OFF):
            win()
