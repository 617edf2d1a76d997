"""Slide all tiles one way; equal ones that meet join into the next size: make the goal tile."""
game = Game(size=(4, 4), max_steps=500, skills=["puzzle"])

GOAL = Param(8, 3, 11, harder="up")
TWOS = Param(0.9, 0.5, 1.0, harder="down")

class State:
    tiles: Grid(Int(0, 11)) = 0

def packed(tiles, d):
    """Every tile moved in direction d until something stops it."""
    for k in range(3):
        going = tiles > 0 and shift(tiles == 0, opposite(d))
        tiles = where(shift(going, d), shift(tiles, d), where(going, 0, tiles))
    return tiles

def joined(tiles, d):
    """Pairs of equal neighbours become one, those ahead first, each tile once."""
    depth = where(d == LEFT or d == RIGHT, COL, ROW)
    for k in range(3):
        edge = depth == (k if d == LEFT or d == UP else 3 - k)
        pair = edge and tiles > 0 and tiles == shift(tiles, d)
        tiles = where(shift(pair, opposite(d)), 0, where(pair, tiles + 1, tiles))
    return tiles

def reset(s):
    for k in range(2):
        s.tiles[random_cell(s.tiles == 0)] = 1

def step(s, act):
    if act.move != STAY:
        slid = packed(joined(packed(s.tiles, act.move), act.move), act.move)
        if any(slid != s.tiles):
            s.tiles = slid
            s.tiles[random_cell(slid == 0)] = 1 if chance(TWOS) else 2
    if any(s.tiles >= GOAL):
        win()
    pairs = s.tiles == shift(s.tiles, RIGHT) or s.tiles == shift(s.tiles, DOWN)
    if all(s.tiles > 0) and not any(pairs):
        lose()
