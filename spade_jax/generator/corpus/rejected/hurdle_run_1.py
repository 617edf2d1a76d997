"""Hurdles roll towards you along the track. Jump (up) in time, fly over and land; every jump costs
strength. Clear enough hurdles; one that you hit ends the race."""
game = Game(size=(5, 11), max_steps=110, skills=["continuous", "avoidance"], camera="board")

HURDLES = Param(4, 2, 8, harder="up")
SPARE = Param(3, 0, 6, harder="down")
GAP = Param(0.15, 0.05, 0.4, harder="up")

class Tile(Enum):
    AIR = Look(".", "black")
    TRACK = Look("_", "brown")
    HURDLE = Look("h", "red", hazard=True)

class State:
    runner: Vec2(-5.4, 5.4)
    rise: Vec2(-1.0, 1.0)
    strength: Int(0, 14) = 7
    cleared: Int(0, 8) = 0
    pause: Int(0, 6) = 3
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR

def reset(s):
    s.runner = Vec2(-3.0, 2.0)
    s.board = where(ROW == 4, Tile.TRACK, s.board)
    s.strength = HURDLES + SPARE

def step(s, act):
    """The ground is at y = 2; hurdles stand on the lowest row."""
    if act.move == UP and s.runner.y >= 2.0 and s.strength > 0:
        s.strength -= 1
        s.rise = Vec2(0.0, -0.9)
    s.rise += Vec2(0.0, 0.3)
    s.runner += s.rise
    if s.runner.y >= 2.0:
        s.runner = Vec2(-3.0, 2.0)
        s.rise = Vec2(0.0, 0.0)
    passed = s.board[Pos(4, 2)] == Tile.HURDLE
    coming = shift(s.board == Tile.HURDLE, LEFT)
    s.pause -= 1
    if s.pause == 0:
        coming = coming or at(Pos(4, 10))
        s.pause = 6 if not chance(GAP) else 4
    s.board = where(ROW == 4, Tile.TRACK, Tile.AIR)
    s.board = where(coming, Tile.HURDLE, s.board)
    if s.board[cell(s.runner)] == Tile.HURDLE:
        lose()
    elif passed:
        s.cleared += 1
        reward(0.1)
    if s.cleared >= HURDLES:
        win()

def view(s):
    disc(s.runner, 0.4, 0)
