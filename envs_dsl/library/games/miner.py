"""Fell trees, build a bench, craft a wooden pick, then a stone pick, and dig out the diamond."""
game = Game(size=(9, 9), max_steps=200, verbs=["gather", "build", "craft"], skills=["resource"])

TREES = Param(0.15, 0.08, 0.3, harder="down")
ROCKS = Param(0.12, 0.06, 0.3, harder="up")
BENCH = Param(2, 1, 4, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    TREE = Look("T", "green", solid=True, resource=True)
    ROCK = Look("o", "gray", solid=True, resource=True)
    DIAMOND = Look("D", "cyan", solid=True, goal=True)
    BENCH = Look("B", "brown", solid=True, tool=True)

class State:
    agent: Pos
    facing: Dir = DOWN
    wood: Int(0, 9) = 0
    stone: Int(0, 9) = 0
    pick: Int(0, 2) = 0
    board: Grid(Tile, outside=Tile.ROCK) = Tile.GRASS

def reset(s):
    s.board = where(chance_grid(TREES), Tile.TREE, s.board)
    s.board = where(chance_grid(ROCKS), Tile.ROCK, s.board)
    s.agent = random_cell(not BORDER)
    s.board[s.agent] = Tile.GRASS
    s.board[random_cell(not disk(s.agent, 3.0))] = Tile.DIAMOND

def step(s, act):
    """What is gathered, built or crafted at is the cell in front of you."""
    if act.move != STAY:
        s.facing = act.move
    s.agent = try_move(s.agent, act.move)
    front = s.agent + s.facing
    thing = s.board[front]
    if act.gather and inside(front):
        if thing == Tile.TREE:
            s.wood += 1
            s.board[front] = Tile.GRASS
        if thing == Tile.ROCK and s.pick >= 1:
            s.stone += 1
            s.board[front] = Tile.GRASS
        if thing == Tile.DIAMOND and s.pick >= 2:
            win()
    if act.build and s.wood >= BENCH and thing == Tile.GRASS:
        s.wood -= BENCH
        s.board[front] = Tile.BENCH
        reward(0.1)
    if act.craft and thing == Tile.BENCH and s.wood >= 1:
        if s.pick == 0 or (s.pick == 1 and s.stone >= 1):
            s.wood -= 1
            s.stone -= s.pick
            s.pick += 1
            reward(0.2)
