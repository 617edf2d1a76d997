"""Set the slalom course: take a pole at the hut below and build it up in a hole of a gate. Climbing
often slips back a step. A skier who runs into you throws you over: two falls and you give up."""
game = Game(size=(7, 7), max_steps=110, verbs=["take", "build"], skills=["manipulation", "avoidance"])

GATES = Param(2, 1, 3, harder="up")
SLIP = Param(0.3, 0.0, 0.5, harder="up")
EVERY = Param(6, 3, 12, harder="down")
FALLS = Param(2, 1, 4, harder="down")

class Tile(Enum):
    SNOW = Look(".", "white")
    HOLE = Look("o", "darkgray", goal=True)
    POLE = Look("I", "red", marker=True)
    HUT = Look("H", "brown", tool=True)

class Skier(Row):
    pos: Pos

class State:
    agent: Pos = Pos(6, 3)
    pole: Bool = False
    falls: Int(0, 4) = 0
    board: Grid(Tile) = Tile.SNOW
    skiers: Table(Skier, 3)

def reset(s):
    for k in range(3):
        if k < GATES:
            left = randint(0, 4)
            s.board[Pos(4 - 2 * k + 1, left)] = Tile.HOLE
            s.board[Pos(4 - 2 * k + 1, left + 2)] = Tile.HOLE
    s.board[Pos(6, randint(0, 6))] = Tile.HUT

def step(s, act):
    """Skiers swing round standing poles."""
    if act.move != UP or not chance(SLIP):
        s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if act.take and here == Tile.HUT and not s.pole:
        s.pole = True
        reward(0.05)
    if act.build and here == Tile.HOLE and s.pole:
        s.pole = False
        s.board[s.agent] = Tile.POLE
        reward(0.15)
    for skier in s.skiers:
        hit = skier.pos == s.agent
        below = skier.pos + DOWN
        if s.board[below] == Tile.POLE:
            below = below + (LEFT if chance(0.5) else RIGHT)
        skier.pos = below
        if hit or skier.pos == s.agent:
            s.falls += 1
            s.pole = False
            reward(-0.1)
            kill(skier)
        elif not inside(skier.pos):
            kill(skier)
    if s.t % EVERY == 0:
        spawn(s.skiers, pos=Pos(0, randint(0, 6)))
    if s.falls >= FALLS:
        lose()
    elif not any(s.board == Tile.HOLE):
        win()
