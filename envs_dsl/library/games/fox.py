"""Live as a fox until spring: catch rabbits to eat, but leave enough of them to breed."""
game = Game(size=(9, 9), max_steps=150, skills=["resource", "navigation"])

SPRING = Param(100, 40, 150, harder="up")
HUNGER = Param(1.0, 0.5, 2.0, harder="up")
BREED = Param(0.03, 0.005, 0.08, harder="down")
WARY = Param(0.4, 0.0, 0.9, harder="up")

class Tile(Enum):
    MEADOW = Look(".", "darkgreen")
    BUSH = Look("#", "green", solid=True)

class Rabbit(Row):
    pos: Pos

class State:
    agent: Pos
    food: Float(0.0, 40.0) = 30.0
    board: Grid(Tile, outside=Tile.BUSH) = Tile.MEADOW
    rabbits: Table(Rabbit, 8)

def reset(s):
    s.board = where(chance_grid(0.08), Tile.BUSH, s.board)
    s.agent = random_cell(s.board == Tile.MEADOW)
    for k in range(4):
        spawn(s.rabbits, pos=random_cell(s.board == Tile.MEADOW and not disk(s.agent, 2.0)))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.food -= HUNGER
    for r in s.rabbits:
        if r.pos == s.agent:
            kill(r)
            s.food += 15.0
            reward(0.05)
        elif manhattan(r.pos, s.agent) <= 3 and chance(WARY):
            r.pos = try_move(r.pos, away(r.pos, s.agent))
        elif chance(0.2):
            r.pos = try_move(r.pos, random_dir())
        if alive(r) and chance(BREED):
            spawn(s.rabbits, pos=r.pos)
    if s.food <= 0.0:
        lose()
    if s.t + 1 >= SPRING:
        win()
