"""Two friends dance on a keyboard: stand on both lit keys at once, one each, and hold the chord until
it has sounded. Every chord raises the applause, which dies away by itself: do not let it end."""
game = Game(size=(4, 5), players=2, max_steps=80, skills=["cooperation", "navigation"])

CHORDS = Param(4, 1, 7, harder="up")
HOLD = Param(2, 1, 4, harder="up")
FADE = Param(0.03, 0.012, 0.05, harder="up")

class Tile(Enum):
    KEY = Look("_", "white")
    LOW = Look("l", "blue", goal=True)
    HIGH = Look("h", "red", goal=True)
    SOUND = Look("*", "yellow", goal=True)

class State:
    pos: Players(Pos)
    low: Pos
    high: Pos
    held: Int(0, 4) = 0
    chords: Int(0, 7) = 0
    applause: Float(0.0, 1.0) = 0.8
    board: Grid(Tile) = Tile.KEY

def reset(s):
    s.pos[0] = Pos(randint(0, 3), 0)
    s.pos[1] = Pos(randint(0, 3), 4)
    s.low = random_cell(COL < 3)
    s.high = random_cell(COL > 1 and not at(s.low))
    s.board[s.low] = Tile.LOW
    s.board[s.high] = Tile.HIGH

def step(s, acts):
    for i in players():
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
    straight = s.pos[0] == s.low and s.pos[1] == s.high
    crossed = s.pos[1] == s.low and s.pos[0] == s.high
    s.applause -= FADE
    if straight or crossed:
        s.held += 1
        reward(0.02)
    else:
        s.held = 0
    if s.held >= HOLD:
        s.held = 0
        s.chords += 1
        s.applause += 0.4
        reward(0.12)
        s.low = random_cell(COL < 3)
        s.high = random_cell(COL > 1 and not at(s.low))
    s.board = Tile.KEY
    s.board[s.low] = Tile.LOW if s.held == 0 else Tile.SOUND
    s.board[s.high] = Tile.HIGH if s.held == 0 else Tile.SOUND
    if s.chords >= CHORDS:
        win()
    elif s.applause <= 0.0:
        lose()
