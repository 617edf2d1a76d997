"""The blades swing one beat further each time you step, or wait on purpose (use, a few times only).
Gather the relics and reach the door; never be where a blade comes down."""
game = Game(size=(5, 9), max_steps=60, verbs=["use"], skills=["puzzle", "navigation"])

RELICS = Param(2, 1, 3, harder="up")
WAITS = Param(3, 0, 6, harder="down")
BEATS = Param(3, 2, 4, harder="down")

class Tile(Enum):
    STONE = Look(".", "black")
    RUT = Look(",", "darkgray")
    BLADE = Look("x", "red", hazard=True)
    RELIC = Look("r", "gold", item=True)
    DOOR = Look("D", "green", goal=True)

class State:
    agent: Pos = Pos(2, 0)
    beat: Int(0, 11) = 0
    waits: Int(0, 6) = 3
    relics: Int(0, 3) = 0
    board: Grid(Tile, outside=Tile.STONE) = Tile.STONE
    phase: Hidden(Array(Int(0, 4), 9))

def falls(beat, phase, beats):
    """The row in which the blade of a column is."""
    return (beat + phase) % (beats + 1)

def reset(s):
    s.board = where(COL % 2 == 0 and COL > 0 and COL < 8, Tile.RUT, s.board)
    for k in range(3):
        if k < RELICS:
            s.board[random_cell(s.board == Tile.STONE and COL % 2 == 1)] = Tile.RELIC
    s.board[Pos(randint(0, 4), 8)] = Tile.DOOR
    for k in range(9):
        s.phase[k] = randint(0, 4)
    for k in range(3):
        s.board[Pos(falls(0, s.phase[2 + 2 * k], BEATS), 2 + 2 * k)] = Tile.BLADE
    s.waits = WAITS

def step(s, act):
    waited = act.use and s.waits > 0
    if waited:
        s.waits = s.waits - 1
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.RELIC:
        s.board[s.agent] = Tile.STONE
        s.relics += 1
        reward(0.15)
    if waited or s.agent != before:
        if s.board[s.agent] == Tile.BLADE:
            lose()
        s.beat = (s.beat + 1) % 12
        s.board = where(s.board == Tile.BLADE, Tile.RUT, s.board)
        for k in range(3):
            s.board[Pos(falls(s.beat, s.phase[2 + 2 * k], BEATS), 2 + 2 * k)] = Tile.BLADE
        if s.board[s.agent] == Tile.BLADE:
            lose()
    if s.board[s.agent] == Tile.DOOR and s.relics >= RELICS:
        win()
