"""Slide the tiles through the gap until they read 1 to 8 in order, with the gap at the end."""
game = Game(size=(3, 3), max_steps=100, skills=["puzzle"])

SHUFFLE = Param(12, 3, 60, harder="up")

class State:
    gap: Pos = Pos(2, 2)
    tiles: Grid(Int(0, 8))

def in_place(tiles):
    return count(tiles == (3 * ROW + COL + 1) % 9)

def reset(s):
    s.tiles = (3 * ROW + COL + 1) % 9
    for k in range(60):
        before = s.gap
        s.gap = try_move(s.gap, random_dir())
        if k >= SHUFFLE:
            s.gap = before
        swap(s.tiles, before, s.gap)
    if in_place(s.tiles) == 9:
        s.gap = Pos(2, 1)
        swap(s.tiles, s.gap, Pos(2, 2))

def step(s, act):
    before = in_place(s.tiles)
    target = try_move(s.gap, act.move)
    swap(s.tiles, s.gap, target)
    s.gap = target
    reward(0.02 * (in_place(s.tiles) - before))
    if in_place(s.tiles) == 9:
        win()
