"""Two operators take turns: the first may order left or right, the second up or down, either may pass.
A given order waits in the queue until later ones push it out. Collect all samples, avoid craters."""
game = Game(size=(7, 7), players=2, turns="alternate", max_steps=90, skills=["puzzle", "cooperation"])

SAMPLES = Param(2, 1, 4, harder="up")
CRATERS = Param(0.06, 0.0, 0.18, harder="up")
DELAY = Param(1, 0, 2, harder="up")

class Tile(Enum):
    DUST = Look(".", "black")
    CRATER = Look("O", "red", hazard=True)
    SAMPLE = Look("s", "gold", goal=True)

class State:
    rover: Pos = Pos(3, 3)
    orders: Array(Dir, 2) = STAY
    board: Grid(Tile, outside=Tile.CRATER) = Tile.DUST

def reset(s):
    s.board = where(chance_grid(CRATERS) and not disk(s.rover, 1.5), Tile.CRATER, s.board)
    for k in range(4):
        if k < SAMPLES:
            s.board[random_cell(s.board == Tile.DUST and not disk(s.rover, 1.5))] = Tile.SAMPLE

def step(s, act):
    sideways = act.move == LEFT or act.move == RIGHT
    allowed = sideways if s.turn == 0 else not sideways and act.move != STAY
    if allowed:
        now = act.move
        if DELAY == 1:
            now = s.orders[0]
        elif DELAY == 2:
            now = s.orders[1]
        s.orders[1] = s.orders[0]
        s.orders[0] = act.move
        s.rover = try_move(s.rover, now)
        if s.board[s.rover] == Tile.SAMPLE:
            s.board[s.rover] = Tile.DUST
            reward(0.15)
        elif s.board[s.rover] == Tile.CRATER:
            lose()
    if not any(s.board == Tile.SAMPLE):
        win()
