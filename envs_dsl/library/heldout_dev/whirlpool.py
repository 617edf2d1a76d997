"""Row about a whirlpool and pick up every buoy; the current turns you and the eye swallows you."""
game = Game(size=(8, 8), max_steps=70, skills=["continuous", "avoidance"])

SWIRL = Param(0.08, 0.0, 0.2, harder="up")
PULL = Param(0.03, 0.0, 0.1, harder="up")
BUOYS = Param(3, 1, 5, harder="up")

class Tile(Enum):
    WATER = Look(".", "blue")
    EYE = Look("@", "red", hazard=True)
    BUOY = Look("b", "gold", item=True)

class State:
    pos: Vec2(-3.9, 3.9)
    board: Grid(Tile, outside=Tile.WATER) = Tile.WATER

def reset(s):
    s.board = where(rect(Pos(3, 3), Pos(4, 4)), Tile.EYE, s.board)
    s.pos = 3.0 * unit(uniform(0.0, 6.2832))
    for k in range(5):
        if k < BUOYS:
            clear = s.board == Tile.WATER and not disk(cell(s.pos), 1.5)
            s.board[random_cell(clear and not rect(Pos(2, 2), Pos(5, 5)))] = Tile.BUOY

def step(s, act):
    current = SWIRL * rotate(s.pos, 1.5708) - PULL * s.pos
    s.pos += 0.5 * vec(act.move) + current
    here = cell(s.pos)
    if s.board[here] == Tile.BUOY:
        s.board[here] = Tile.WATER
        reward(0.15)
    if s.board[here] == Tile.EYE:
        lose()
    if not any(s.board == Tile.BUOY):
        win()

def view(s):
    disc(s.pos, 0.4, 0)
