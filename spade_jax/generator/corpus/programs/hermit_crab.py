"""Change shells: only the next larger one fits. From the third size on you cannot pass the crevices
in the reef any more, so think on which side to change. Urchins are deadly."""
game = Game(size=(7, 9), max_steps=80, verbs=["take"], skills=["puzzle", "manipulation"])

GOAL = Param(4, 2, 4, harder="up")
URCHINS = Param(3, 0, 6, harder="up")
DECOYS = Param(2, 0, 4, harder="up")

class Tile(Enum):
    SAND = Look(".", "yellow")
    REEF = Look("#", "gray", solid=True)
    CREVICE = Look("=", "darkgray", door=True)
    URCHIN = Look("x", "purple", hazard=True)

class State:
    crab: Pos = Pos(3, 1)
    size: Int(1, 4) = 1
    board: Grid(Tile, outside=Tile.REEF) = Tile.SAND
    shells: Grid(Int(0, 4)) = 0

def reset(s):
    """The third and the fourth shell lie beyond the reef, the second on this side."""
    s.board = where(COL == 4, Tile.REEF, s.board)
    s.board[Pos(randint(0, 2), 4)] = Tile.CREVICE
    s.board[Pos(randint(4, 6), 4)] = Tile.CREVICE
    s.crab = Pos(randint(0, 6), 0)
    free = not at(s.crab)
    s.shells[random_cell(free and COL < 4)] = 2
    s.shells[random_cell(COL > 4 and s.shells == 0)] = 3
    s.shells[random_cell(COL > 4 and s.shells == 0)] = 4
    for k in range(4):
        if k < DECOYS:
            s.shells[random_cell(free and COL < 4 and s.shells == 0)] = 3
    for k in range(6):
        if k < URCHINS:
            spot = s.board == Tile.SAND and s.shells == 0 and COL != 3 and COL != 5
            s.board[random_cell(spot and not disk(s.crab, 1.5))] = Tile.URCHIN

def step(s, act):
    target = try_move(s.crab, act.move)
    if s.board[target] != Tile.CREVICE or s.size < 3:
        s.crab = target
    found = s.shells[s.crab]
    if act.take and found == s.size + 1:
        s.shells[s.crab] = s.size
        s.size = found
        reward(0.15)
    if s.board[s.crab] == Tile.URCHIN:
        lose()
    elif s.size >= GOAL:
        win()
