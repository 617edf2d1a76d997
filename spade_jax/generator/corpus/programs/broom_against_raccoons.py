"""Raccoons come for your melons. With a broom from the shed you sweep off whom you run into, but it
wears out; without one their touch is a bite that ends it. Sweep off enough before all is eaten."""
game = Game(size=(8, 8), max_steps=90, skills=["avoidance", "resource"])

NEED = Param(4, 2, 8, harder="up")
COMING = Param(0.15, 0.05, 0.3, harder="up")
BOLD = Param(0.4, 0.2, 0.7, harder="up")
BRISTLES = Param(2, 1, 4, harder="down")

class Tile(Enum):
    SOIL = Look(".", "black")
    MELON = Look("m", "green", goal=True)
    RIND = Look("r", "darkgreen")
    SHED = Look("S", "brown", tool=True)

class Raccoon(Row):
    pos: Pos

class State:
    agent: Pos
    sweeps: Int(0, 4) = 0
    swept: Int(0, 8) = 0
    raccoons: Table(Raccoon, 4)
    board: Grid(Tile, outside=Tile.SOIL) = Tile.SOIL

def reset(s):
    s.board[Pos(7, randint(0, 7))] = Tile.SHED
    for k in range(5):
        s.board[random_cell(s.board == Tile.SOIL and ROW > 1 and ROW < 6 and not BORDER)] = Tile.MELON
    s.agent = random_cell(ROW == 6 and s.board == Tile.SOIL)
    spawn(s.raccoons, pos=Pos(0, randint(0, 7)))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.SHED and s.sweeps == 0:
        s.sweeps = BRISTLES
    for r in s.raccoons:
        met = r.pos == s.agent
        if not met and chance(BOLD):
            prize = nearest(s.board == Tile.MELON, r.pos)
            r.pos = try_move(r.pos, toward(r.pos, prize))
            if s.board[r.pos] == Tile.MELON:
                s.board[r.pos] = Tile.RIND
        if r.pos == s.agent:
            if s.sweeps > 0:
                s.sweeps -= 1
                s.swept += 1
                reward(0.1)
                kill(r)
            else:
                lose()
    edge = ROW == 0 and not disk(s.agent, 2.0)
    if chance(COMING) and any(edge):
        spawn(s.raccoons, pos=random_cell(edge))
    if s.swept >= NEED:
        win()
    elif not any(s.board == Tile.MELON):
        lose()
