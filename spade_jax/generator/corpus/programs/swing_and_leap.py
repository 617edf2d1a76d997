"""Lean towards the side you face and the swing goes higher, lean the other way and it goes lower; each
lean turns you about. Face right and leap (use) when your height is that of the ring's mark."""
game = Game(size=(3, 11), max_steps=80, verbs=["use"], skills=["puzzle"], camera="board")

LEAPS = Param(2, 1, 4, harder="up")
MISSES = Param(2, 1, 4, harder="down")
GREASE = Param(0.0, 0.0, 0.3, harder="up")

class Tile(Enum):
    GROUND = Look(".", "darkgreen")
    MARK = Look("o", "gold", goal=True)
    HEIGHT = Look("h", "cyan", marker=True)

class State:
    facing: Dir = RIGHT
    swing: Int(0, 9) = 0
    ring: Int(2, 9) = 4
    leaps: Int(0, 4) = 0
    misses: Int(0, 4) = 0
    board: Grid(Tile, outside=Tile.GROUND) = Tile.GROUND

def reset(s):
    s.ring = randint(2, 9)
    s.board[Pos(0, s.ring)] = Tile.MARK
    s.board[Pos(2, 0)] = Tile.HEIGHT

def step(s, act):
    """The mark in the first row shows where the ring lies, the one in the last how high you swing."""
    before = abs(s.swing - s.ring)
    if act.move == LEFT or act.move == RIGHT:
        gain = 1 if act.move == s.facing else -1
        s.swing = clip(s.swing + (gain if not chance(GREASE) else 0), 0, 9)
        s.facing = opposite(s.facing)
        reward(0.02 * (before - abs(s.swing - s.ring)))
    if act.use and s.facing == RIGHT:
        if s.swing == s.ring:
            s.leaps = s.leaps + 1
            reward(0.15)
        else:
            s.misses = s.misses + 1
        s.swing = 0
        s.ring = randint(2, 9)
    s.board = where(ROW == 0 and COL == s.ring, Tile.MARK, Tile.GROUND)
    s.board = where(ROW == 2 and COL == s.swing, Tile.HEIGHT, s.board)
    if s.leaps >= LEAPS:
        win()
    elif s.misses >= MISSES:
        lose()
