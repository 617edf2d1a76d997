"""The true note is heard as a glow of some size; when it is silent, open (up) or close (down) the
throttle until its own glow has that size and press use. It creeps open by itself; a wrong note stalls."""
game = Game(size=(7, 7), max_steps=80, verbs=["use"], skills=["memory"])

NOTES = Param(2, 1, 4, harder="up")
HEARD = Param(3, 1, 5, harder="down")
CREEP = Param(0.06, 0.0, 0.2, harder="up")

class Tile(Enum):
    SILENT = Look("o", "gray", marker=True)
    SOUND = Look("*", "gold", goal=True)

class State:
    note: Hidden(Int(0, 4)) = 0
    throttle: Int(0, 4) = 0
    hearing: Int(0, 5) = 1
    tuned: Int(0, 4) = 0
    glow: Grid(Bool) = False
    board: Grid(Tile) = Tile.SILENT

def reset(s):
    s.note = randint(0, 4)
    s.throttle = randint(0, 4)
    s.hearing = HEARD
    s.board = Tile.SOUND
    s.glow = abs(ROW - 3) + abs(COL - 3) <= s.note

def step(s, act):
    if s.hearing > 0:
        s.hearing -= 1
    elif act.use:
        if s.throttle == s.note:
            s.tuned += 1
            reward(0.15)
            s.note = randint(0, 4)
            s.hearing = HEARD
        else:
            lose()
    else:
        s.throttle += 1 if act.move == UP else -1 if act.move == DOWN else 0
        if chance(CREEP):
            s.throttle += 1
    size = s.note if s.hearing > 0 else s.throttle
    s.glow = abs(ROW - 3) + abs(COL - 3) <= size
    if s.hearing > 0:
        s.board = Tile.SOUND
    else:
        s.board = Tile.SILENT
    if s.tuned >= NOTES:
        win()
