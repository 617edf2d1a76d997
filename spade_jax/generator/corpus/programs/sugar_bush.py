"""Stand beside a maple and use a spile: a tree that has sap fills the bucket, a dry one breaks the
spile. Boil the sap in the hut; trees fill up again in time, unseen."""
game = Game(size=(7, 7), max_steps=100, verbs=["use"], skills=["resource", "memory"])

SYRUP = Param(4, 2, 8, harder="up")
SPILES = Param(5, 2, 8, harder="down")
FLOW = Param(0.06, 0.02, 0.15, harder="down")

class Tile(Enum):
    SNOW = Look(".", "white")
    MAPLE = Look("T", "red", solid=True, resource=True)
    HUT = Look("H", "brown", goal=True)

class State:
    agent: Pos = Pos(3, 3)
    bucket: Int(0, 3) = 0
    spiles: Int(0, 8) = 5
    syrup: Int(0, 8) = 0
    sap: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.SNOW) = Tile.SNOW

def reset(s):
    s.board[s.agent] = Tile.HUT
    for k in range(6):
        s.board[random_cell(s.board == Tile.SNOW and not disk(s.agent, 1.0))] = Tile.MAPLE
    s.sap = s.board == Tile.MAPLE and chance_grid(0.8)
    s.spiles = SPILES

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    tree = nearest(s.board == Tile.MAPLE, s.agent)
    if act.use and adjacent(tree, s.agent) and s.bucket < 3:
        if s.sap[tree]:
            s.sap[tree] = False
            s.bucket += 1
            reward(0.06)
        else:
            s.spiles -= 1
    if s.board[s.agent] == Tile.HUT and s.bucket > 0:
        s.syrup += s.bucket
        s.bucket -= 3
        reward(0.1)
    s.sap = s.sap or (s.board == Tile.MAPLE and chance_grid(FLOW))
    if s.syrup >= SYRUP:
        win()
    elif s.spiles == 0:
        lose()
