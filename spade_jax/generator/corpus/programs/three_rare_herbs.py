"""The recipe on the wall shows from left to right which herbs to gather, then it closes. Turn towards a
herb (a move turns you before you walk) and gather it; a wrong one spoils the potion."""
game = Game(size=(7, 7), max_steps=60, verbs=["gather"], skills=["memory"])

STEPS = Param(2, 1, 3, harder="up")
SHOW = Param(8, 3, 16, harder="down")

class Tile(Enum):
    MEADOW = Look(".", "darkgreen")
    WALL = Look("#", "gray", solid=True)
    RED = Look("r", "red", solid=True, resource=True)
    BLUE = Look("b", "blue", solid=True, resource=True)
    GOLD = Look("g", "gold", solid=True, resource=True)

class State:
    agent: Pos = Pos(4, 3)
    facing: Dir = UP
    recipe: Hidden(Array(Int(0, 2), 3))
    gathered: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.MEADOW

def herb(kind):
    return Tile.RED if kind == 0 else Tile.BLUE if kind == 1 else Tile.GOLD

def reset(s):
    s.board = where(ROW == 0, Tile.WALL, s.board)
    kind = randint(0, 2)
    other = randint(1, 2)
    for k in range(3):
        s.recipe[k] = (kind + k * other) % 3
        if k < STEPS:
            s.board[Pos(0, 2 + k)] = herb(s.recipe[k])
    s.board[Pos(randint(2, 3), 1)] = Tile.RED
    s.board[Pos(2, randint(3, 4))] = Tile.BLUE
    s.board[Pos(randint(3, 5), 5)] = Tile.GOLD
    s.agent = Pos(randint(4, 5), 3)

def step(s, act):
    if s.t >= SHOW:
        s.board = where(ROW == 0, Tile.WALL, s.board)
    if act.move == s.facing:
        s.agent = try_move(s.agent, act.move)
    elif act.move != STAY:
        s.facing = act.move
    ahead = s.agent + s.facing
    if act.gather and solid(s.board[ahead]) and s.board[ahead] != Tile.WALL and ahead.row > 0:
        if s.board[ahead] == herb(s.recipe[s.gathered]):
            s.board[ahead] = Tile.MEADOW
            s.gathered += 1
            reward(0.15)
        else:
            lose()
    if s.gathered >= STEPS:
        win()
