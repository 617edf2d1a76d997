"""Fetch the lens, carry it to the tile whose number is unlike all others and use it there. A touch
snatches the lens from who holds it. The first with enough finds wins."""
game = Game(size=(7, 7), players=2, max_steps=150, verbs=["use"], skills=["contest", "navigation"])

NEED = Param(2, 1, 4, harder="up")
TILES = Param(0.3, 0.1, 0.6, harder="up")
GRIP = Param(4, 1, 8, harder="up")

class State:
    pos: Players(Pos)
    holder: Int(-1, 1) = -1
    lens: Pos = Pos(3, 3)
    grip: Int(0, 8) = 0
    finds: Players(Int(0, 4)) = 0
    odd: Hidden(Pos)
    tiles: Grid(Int(0, 9)) = 0

def laid(share):
    return where(chance_grid(share) and not BORDER, 3, 0)

def reset(s):
    s.pos[0] = Pos(6, 3)
    s.pos[1] = Pos(0, 3)
    s.tiles = laid(TILES)
    s.odd = random_cell(not BORDER and not at(s.lens))
    s.tiles[s.odd] = 8

def step(s, acts):
    """After a snatch the new holder has a grip for a few steps."""
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
    s.grip -= 1
    if s.holder < 0:
        first = s.pos[0] == s.lens
        second = s.pos[1] == s.lens
        if first != second:
            s.holder = 0 if first else 1
            s.grip = GRIP
            reward(0.03, s.holder)
    elif s.grip == 0 and chebyshev(s.pos[0], s.pos[1]) <= 1:
        s.holder = opponent(s.holder)
        s.grip = GRIP
    for i in players():
        if s.holder == i:
            s.lens = s.pos[i]
            if acts[i].use and s.pos[i] == s.odd:
                s.finds[i] += 1
                reward(0.15, i)
                s.tiles = laid(TILES)
                s.odd = random_cell(not BORDER and not disk(s.pos[i], 2.0))
                s.tiles[s.odd] = 8
                if s.finds[i] >= NEED:
                    win(i)
