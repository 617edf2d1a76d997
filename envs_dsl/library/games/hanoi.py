"""Move the tower to the last peg, disc by disc; no disc may ever lie on a smaller one."""
game = Game(size=(5, 3), max_steps=120, verbs=["take", "drop"], skills=["puzzle", "manipulation"])

DISCS = Param(2, 1, 4, harder="up")

class State:
    hand: Pos = Pos(0, 0)
    held: Int(0, 4) = 0
    pegs: Grid(Int(0, 4), outside=4) = 0

def reset(s):
    s.pegs = where(COL == 0, clip(ROW - (4 - DISCS), 0, 4), 0)

def step(s, act):
    """The hand moves left and right over the pegs and takes the uppermost disc."""
    if act.move == LEFT or act.move == RIGHT:
        s.hand = try_move(s.hand, act.move)
    peg = COL == s.hand.col and ROW > 0
    space = Pos(count(peg and s.pegs == 0), s.hand.col)
    top = space + DOWN
    if act.take and s.held == 0 and inside(top):
        s.held = s.pegs[top]
        s.pegs[top] = 0
    if act.drop and s.held > 0 and (s.pegs[top] > s.held or not inside(top)):
        s.pegs[space] = s.held
        s.held = 0
        if count(s.pegs > 0 and COL == 2) >= DISCS:
            win()
