"""Hurdles roll towards you along the track, and birds above it. Jump (up) over a hurdle, stay down
under a bird; every jump costs strength. Whatever you hit ends the race."""
game = Game(size=(5, 11), max_steps=110, skills=["continuous", "avoidance"], camera="board")

HURDLES = Param(4, 2, 8, harder="up")
SPARE = Param(3, 0, 6, harder="down")
BIRDS = Param(0.35, 0.1, 0.5, harder="up")

class Tile(Enum):
    AIR = Look(".", "black")
    TRACK = Look("_", "brown")
    HURDLE = Look("h", "red", hazard=True)
    BIRD = Look("v", "pink", hazard=True)

class State:
    runner: Vec2(-5.4, 5.4)
    rise: Vec2(-1.0, 1.0)
    strength: Int(0, 14) = 7
    cleared: Int(0, 8) = 0
    pause: Int(0, 8) = 3
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR

def reset(s):
    s.runner = Vec2(-3.0, 2.0)
    s.board = where(ROW == 4, Tile.TRACK, s.board)
    s.strength = HURDLES + SPARE

def step(s, act):
    """The ground is at y = 2; hurdles stand on the lowest row, birds fly in the one above."""
    if act.move == UP and s.runner.y >= 2.0 and s.strength > 0:
        s.strength -= 1
        s.rise = Vec2(0.0, -0.9)
    s.rise += Vec2(0.0, 0.3)
    s.runner += s.rise
    if s.runner.y >= 2.0:
        s.runner = Vec2(-3.0, 2.0)
        s.rise = Vec2(0.0, 0.0)
    passed = s.board[Pos(4, 2)] == Tile.HURDLE or s.board[Pos(3, 2)] == Tile.BIRD
    hurdles = shift(s.board == Tile.HURDLE, LEFT)
    birds = shift(s.board == Tile.BIRD, LEFT)
    s.pause -= 1
    if s.pause == 0:
        high = chance(BIRDS)
        hurdles = hurdles or (at(Pos(4, 10)) and not high)
        birds = birds or (at(Pos(3, 10)) and high)
        s.pause = randint(5, 7)
    s.board = where(ROW == 4, Tile.TRACK, Tile.AIR)
    s.board = where(hurdles, Tile.HURDLE, where(birds, Tile.BIRD, s.board))
    if tagged(s.board[cell(s.runner)], "hazard"):
        lose()
    elif passed:
        s.cleared += 1
        reward(0.1)
    if s.cleared >= HURDLES:
        win()

def view(s):
    disc(s.runner, 0.4, 0)
