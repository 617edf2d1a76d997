"""Take the trowel, fill your bag at the red or the yellow basket and plant every plot so that no
two neighbouring plots match: equal neighbours rot the bed. The trowel also pulls a bulb out again."""
game = Game(size=(5, 6), max_steps=70, verbs=["build", "pull"], skills=["puzzle", "manipulation"])

PLOTS = Param(4, 2, 6, harder="up")
GIVEN = Param(1, 0, 2, harder="up")

class Tile(Enum):
    PATH = Look(".", "darkgreen")
    PLOT = Look("o", "brown", goal=True)
    RED = Look("r", "red", resource=True)
    YELLOW = Look("y", "yellow", resource=True)
    RED_BASKET = Look("R", "red", tool=True)
    YELLOW_BASKET = Look("Y", "yellow", tool=True)
    TROWEL = Look("t", "gray", item=True)

class State:
    agent: Pos
    trowel: Bool = False
    bag: Int(0, 2) = 0
    board: Grid(Tile) = Tile.PATH

def reset(s):
    bed = rect(Pos(1, 2), Pos(2, 4))
    for k in range(6):
        if k < PLOTS:
            s.board[random_cell(bed and s.board == Tile.PATH)] = Tile.PLOT
    swapped = randint(0, 1)
    for k in range(2):
        if k < GIVEN and count(s.board == Tile.PLOT) > 1:
            spot = random_cell(s.board == Tile.PLOT)
            s.board[spot] = Tile.RED if (spot.row + spot.col + swapped) % 2 == 0 else Tile.YELLOW
    s.board[Pos(randint(0, 3), 0)] = Tile.RED_BASKET
    s.board[Pos(4, randint(1, 5))] = Tile.YELLOW_BASKET
    s.board[Pos(0, randint(1, 5))] = Tile.TROWEL
    s.agent = random_cell(s.board == Tile.PATH)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.TROWEL:
        s.trowel = True
        s.board[s.agent] = Tile.PATH
        reward(0.1)
    if here == Tile.RED_BASKET:
        s.bag = 1
    elif here == Tile.YELLOW_BASKET:
        s.bag = 2
    if act.build and s.trowel and s.bag > 0 and here == Tile.PLOT:
        bulb = Tile.RED if s.bag == 1 else Tile.YELLOW
        alike = neighbors4(s.board == bulb)
        s.board[s.agent] = bulb
        reward(0.1)
        if alike[s.agent] > 0:
            lose()
    if act.pull and s.trowel and (here == Tile.RED or here == Tile.YELLOW):
        s.board[s.agent] = Tile.PLOT
        reward(-0.1)
    if not any(s.board == Tile.PLOT):
        win()
