"""The dragon's sleep runs down, and who is inside the cave when it is awake is burnt. Gather meat
outside, feed it from the mouth of the cave or nearer, then reach the gold while it sleeps."""
game = Game(size=(7, 9), max_steps=70, verbs=["gather", "feed"], skills=["navigation", "resource"])

SLEEP = Param(8, 3, 16, harder="down")
MEAL = Param(14, 10, 22, harder="down")
ROCKS = Param(0.08, 0.0, 0.2, harder="up")

class Tile(Enum):
    GROUND = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    MEAT = Look("m", "pink", item=True)
    DRAGON = Look("D", "red", solid=True, hazard=True)
    GOLD = Look("g", "gold", goal=True)

class State:
    agent: Pos
    sleep: Int(0, 40) = 0
    meat: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.GROUND

def reset(s):
    s.sleep = SLEEP
    s.board = where(chance_grid(ROCKS) and COL < 3 and not BORDER, Tile.WALL, s.board)
    s.board = where(COL == 4, Tile.WALL, s.board)
    s.board[Pos(randint(2, 4), 4)] = Tile.GROUND
    s.board[Pos(3, 6)] = Tile.DRAGON
    s.board[Pos(randint(0, 6), 8)] = Tile.GOLD
    outside = s.board == Tile.GROUND and COL < 3
    s.agent = random_cell(outside and COL == 0)
    for k in range(3):
        s.board[random_cell(outside and s.board == Tile.GROUND and not at(s.agent))] = Tile.MEAT

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.gather and s.board[s.agent] == Tile.MEAT:
        s.board[s.agent] = Tile.GROUND
        s.meat += 1
        reward(0.08)
    near = any(disk(s.agent, 2.3) and s.board == Tile.DRAGON)
    if act.feed and s.meat > 0 and near:
        s.meat -= 1
        s.sleep += MEAL
        reward(0.12)
    s.sleep -= 1
    if s.board[s.agent] == Tile.GOLD:
        win()
    elif s.sleep <= 0 and s.agent.col > 4:
        lose()
