"""Scorpions creep into the tent. Pump the lamp (use, beside it) to widen the light: there scorpions
slow down and can be swatted (attack) from the next cell. In the dark they sting. Swat them all."""
game = Game(size=(7, 7), players=2, max_steps=90, verbs=["use", "attack"], skills=["cooperation", "avoidance"])

SCORPIONS = Param(2, 1, 4, harder="up")
DIM = Param(0.12, 0.05, 0.3, harder="up")
CREEP = Param(0.3, 0.1, 0.6, harder="up")

class Tile(Enum):
    MAT = Look(".", "brown")
    LAMP = Look("L", "gold", solid=True, tool=True)

class Scorpion(Row):
    pos: Pos

class State:
    pos: Players(Pos)
    light: Float(0.0, 5.0) = 2.0
    board: Grid(Tile, outside=Tile.MAT) = Tile.MAT
    lit: Grid(Bool) = False
    scorpions: Table(Scorpion, 4)

def reset(s):
    s.board[Pos(3, 3)] = Tile.LAMP
    s.pos[0] = Pos(3, 2)
    s.pos[1] = Pos(3, 4)
    for k in range(4):
        if k < SCORPIONS:
            spawn(s.scorpions, pos=random_cell(BORDER))
    s.lit = disk(Pos(3, 3), s.light)

def step(s, acts):
    s.light -= DIM
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        if acts[i].use and adjacent(s.pos[i], Pos(3, 3)):
            s.light += 0.5
    s.lit = disk(Pos(3, 3), s.light)
    for c in s.scorpions:
        prey = s.pos[0] if manhattan(c.pos, s.pos[0]) <= manhattan(c.pos, s.pos[1]) else s.pos[1]
        slow = 0.3 if s.lit[c.pos] else 1.0
        if chance(CREEP * slow):
            c.pos = try_move(c.pos, toward(c.pos, prey))
        for i in players():
            near = manhattan(c.pos, s.pos[i])
            if acts[i].attack and near <= 1 and s.lit[c.pos]:
                kill(c)
                reward(0.15)
            elif near == 0 and alive(c):
                lose()
    if count_alive(s.scorpions) == 0:
        win()
