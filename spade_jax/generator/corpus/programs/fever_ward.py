"""Somewhere in four locked wards is the source of the fever. Pick up kits in the corridor: one opens
a door you walk against, or use one to cool the fever. Reach the right bed before the fever is at its
height; the thermometer flickers when the source is near."""
game = Game(size=(7, 7), max_steps=90, verbs=["use"], skills=["resource", "navigation"])

HEAT = Param(0.018, 0.01, 0.028, harder="up")
KITS = Param(0.1, 0.05, 0.2, harder="down")
SURE = Param(0.5, 0.2, 0.9, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DOOR = Look("D", "brown", solid=True, door=True)
    BED = Look("b", "white", goal=True)
    WELL = Look("h", "darkgreen")
    KIT = Look("k", "gold", item=True)

class State:
    agent: Pos
    kits: Int(0, 3) = 1
    fever: Float(0.0, 1.0) = 0.2
    near: Bool = False
    source: Hidden(Pos)
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(ROW == 2 or ROW == 4 or (COL == 3 and ROW != 3), Tile.WALL, s.board)
    for k in range(4):
        top = k < 2
        s.board[Pos(2 if top else 4, k % 2 * 4 + randint(0, 2))] = Tile.DOOR
        s.board[Pos(0 if top else 6, k % 2 * 4 + 1)] = Tile.BED
    s.source = random_cell(s.board == Tile.BED)
    s.agent = Pos(3, 3)
    s.board[random_cell(ROW == 3 and COL != 3)] = Tile.KIT

def step(s, act):
    ahead = s.agent + act.move
    if s.board[ahead] == Tile.DOOR and s.kits > 0:
        s.kits -= 1
        s.board[ahead] = Tile.FLOOR
        reward(0.05)
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    s.fever += HEAT
    if s.near:
        s.fever += 0.002
    s.near = chebyshev(s.agent, s.source) <= 3 and chance(SURE)
    if here == Tile.KIT:
        s.board[s.agent] = Tile.FLOOR
        s.kits += 1
        reward(0.02)
    if act.use and s.kits > 0:
        s.kits -= 1
        s.fever -= 0.25
    corridor = ROW == 3 and s.board == Tile.FLOOR and not at(s.agent)
    if chance(KITS) and any(corridor):
        s.board[random_cell(corridor)] = Tile.KIT
    if s.agent == s.source:
        win()
    elif here == Tile.BED:
        s.board[s.agent] = Tile.WELL
        s.fever += 0.1
    if s.fever >= 1.0:
        lose()
