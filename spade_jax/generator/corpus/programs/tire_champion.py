"""Two sparring partners against a champion. He follows one of you and strikes when close; strike him
(attack) while he is after the other. Bottles restore strength. Tire him before one of you is out."""
game = Game(size=(6, 6), players=2, max_steps=100, verbs=["attack"], skills=["cooperation", "avoidance"])

STAMINA = Param(6, 3, 12, harder="up")
HEALTH = Param(4, 2, 7, harder="down")
FAST = Param(0.6, 0.3, 0.95, harder="up")

class Tile(Enum):
    RING = Look(".", "gray")
    BOTTLE = Look("b", "cyan", resource=True)

class Champion(Row):
    pos: Pos
    stamina: Int(0, 12)

class State:
    pos: Players(Pos)
    health: Players(Int(0, 7)) = 4
    target: Int(0, 1) = 0
    board: Grid(Tile, outside=Tile.RING) = Tile.RING
    champions: Table(Champion, 1)

def reset(s):
    s.pos[0] = Pos(5, 1)
    s.pos[1] = Pos(5, 4)
    s.target = randint(0, 1)
    spawn(s.champions, pos=Pos(1, randint(1, 4)), stamina=STAMINA)
    for i in players():
        s.health[i] = HEALTH

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        if s.board[s.pos[i]] == Tile.BOTTLE:
            s.board[s.pos[i]] = Tile.RING
            s.health[i] += 2
    if chance(0.05):
        s.board[random_cell(EVERYWHERE)] = Tile.BOTTLE
    if chance(0.08):
        s.target = opponent(s.target)
    for c in s.champions:
        if adjacent(c.pos, s.pos[s.target]) or c.pos == s.pos[s.target]:
            if chance(0.5):
                s.health[s.target] -= 1
                reward(-0.05)
        elif chance(FAST):
            c.pos = try_move(c.pos, toward(c.pos, s.pos[s.target]))
        for i in players():
            if acts[i].attack and i != s.target and manhattan(c.pos, s.pos[i]) <= 1:
                c.stamina -= 1
                reward(0.1)
                s.target = i if chance(0.5) else s.target
        if c.stamina == 0:
            win()
    if s.health[0] == 0 or s.health[1] == 0:
        lose()
