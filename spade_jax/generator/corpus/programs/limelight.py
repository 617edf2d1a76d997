"""Push the lamp cart left and right: its beam lights the column above it. Applause grows while the
actor stands in the beam and dies away in the dark. Never step or push the cart onto a trapdoor."""
game = Game(size=(7, 7), max_steps=120, skills=["manipulation", "avoidance"])

GAIN = Param(0.05, 0.035, 0.08, harder="down")
DARK = Param(0.02, 0.012, 0.03, harder="up")
PACE = Param(5, 3, 7, harder="down")
TRAPS = Param(2, 0, 4, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "brown")
    STAGE = Look("_", "black", solid=True)
    BEAM = Look("!", "yellow", solid=True)
    LAMP = Look("L", "gold", solid=True, tool=True)
    TRAP = Look("O", "red", hazard=True)

class State:
    agent: Pos
    actor: Pos
    heading: Dir = RIGHT
    lamp: Pos
    applause: Float(0.0, 1.0) = 0.4
    board: Grid(Tile, outside=Tile.STAGE) = Tile.FLOOR

def reset(s):
    s.lamp = Pos(4, randint(2, 4))
    s.agent = Pos(5, randint(1, 5))
    s.actor = Pos(1, pick(1, 5))
    for k in range(4):
        if k < TRAPS:
            s.board[random_cell((ROW == 3 or ROW == 6) and s.board == Tile.FLOOR)] = Tile.TRAP
    s.board = where(ROW < 3, Tile.STAGE, s.board)
    s.board[s.lamp] = Tile.LAMP

def step(s, act):
    ahead = s.agent + act.move
    beyond = ahead + act.move
    if ahead == s.lamp and act.move != STAY and beyond.col > 0 and beyond.col < 6 and beyond.row > 2:
        if s.board[beyond] == Tile.TRAP:
            lose()
        elif s.board[beyond] == Tile.FLOOR:
            s.board[s.lamp] = Tile.FLOOR
            s.lamp = beyond
            s.board[s.lamp] = Tile.LAMP
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.TRAP:
        lose()
    s.board = where(ROW < 3, Tile.STAGE, s.board)
    s.board = where(ROW < 3 and COL == s.lamp.col, Tile.BEAM, s.board)
    if (s.t + 1) % PACE == 0:
        if s.actor.col <= 1:
            s.heading = RIGHT
        elif s.actor.col >= 5:
            s.heading = LEFT
        elif chance(0.08):
            s.heading = opposite(s.heading)
        s.actor = s.actor + s.heading
    if s.actor.col == s.lamp.col:
        s.applause += GAIN
        reward(0.03)
    else:
        s.applause -= DARK
    if s.applause >= 1.0:
        win()
    elif s.applause <= 0.0:
        lose()
