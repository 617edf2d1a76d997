"""Push the buoy into the eye of the hurricane. The wind drives you round the eye, step by step, and
now and then the eye itself moves on."""
game = Game(size=(9, 9), max_steps=80, skills=["manipulation"])

WIND = Param(0.3, 0.0, 0.6, harder="up")
WANDER = Param(0.03, 0.0, 0.12, harder="up")
NEAR = Param(3.0, 1.5, 4.0, harder="up")

class Tile(Enum):
    SEA = Look(".", "blue")
    EYE = Look("e", "green", goal=True)
    BUOY = Look("b", "orange", solid=True, item=True)

class State:
    agent: Pos
    buoy: Pos
    eye: Pos = Pos(4, 4)
    board: Grid(Tile, outside=Tile.BUOY) = Tile.SEA

def round_wind(p, eye):
    """Clockwise round the eye."""
    rows = p.row - eye.row
    cols = p.col - eye.col
    across = LEFT if rows > 0 else RIGHT
    along = DOWN if cols > 0 else UP
    return across if abs(rows) >= abs(cols) else along

def reset(s):
    s.buoy = random_cell(disk(s.eye, NEAR) and not BORDER and not at(s.eye))
    s.agent = random_cell(disk(s.buoy, 2.0) and not at(s.buoy) and not at(s.eye))
    s.board[s.buoy] = Tile.BUOY
    s.board[s.eye] = Tile.EYE

def step(s, act):
    before = manhattan(s.buoy, s.eye)
    target = s.agent + act.move
    if target == s.buoy and inside(s.buoy + act.move):
        s.buoy = s.buoy + act.move
    s.board = where(at(s.buoy), Tile.BUOY, Tile.SEA)
    s.agent = try_move(s.agent, act.move)
    reward(0.06 * (before - manhattan(s.buoy, s.eye)))
    if s.buoy == s.eye:
        win()
    if chance(WIND):
        s.agent = try_move(s.agent, round_wind(s.agent, s.eye))
    if chance(WANDER):
        moved = s.eye + random_dir()
        if not rect(Pos(2, 2), Pos(6, 6))[moved] or moved == s.buoy:
            moved = s.eye
        s.eye = moved
    s.board[s.eye] = Tile.EYE
