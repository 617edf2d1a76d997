"""Light all nine lamps: flip turns the lamp under you and its four neighbours on or off."""
game = Game(size=(5, 5), max_steps=40, verbs=["flip"], skills=["puzzle"])

PRESSES = Param(1, 1, 4, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    OFF = Look("o", "gray", marker=True)
    ON = Look("*", "yellow", marker=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR

def flipped(board, p):
    lit = where(disk(p, 1.0) and board == Tile.OFF, Tile.ON, board)
    return where(disk(p, 1.0) and board == Tile.ON, Tile.OFF, lit)

def reset(s):
    s.board = where(rect(Pos(1, 1), Pos(3, 3)), Tile.ON, s.board)
    for k in range(4):
        if k < PRESSES:
            s.board = flipped(s.board, Pos(randint(1, 3), randint(1, 3)))
    if not any(s.board == Tile.OFF):
        s.board = flipped(s.board, Pos(2, 2))
    s.agent = random_cell(rect(Pos(1, 1), Pos(3, 3)))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.flip:
        before = count(s.board == Tile.OFF)
        s.board = flipped(s.board, s.agent)
        reward(0.05 * (before - count(s.board == Tile.OFF)))
        if not any(s.board == Tile.OFF):
            win()
