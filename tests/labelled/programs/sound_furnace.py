"""Keep the furnace between the marks for twelve steps in a row; it cools by itself."""
game = Game(size=(3, 9), max_steps=60, skills=["continuous"])

COOLING = Param(0.6, 0.2, 1.0, harder="up")

class Tile(Enum):
    DARK = Look(".", "black")
    BAND = Look("=", "green", goal=True)
    NEEDLE = Look("|", "white", marker=True)

class State:
    heat: Float(0.0, 9.0) = 1.0
    held: Int(0, 12) = 0
    gauge: Grid(Tile, outside=Tile.DARK) = Tile.DARK

def dial(heat):
    band = where(COL >= 4 and COL <= 5 and ROW == 1, Tile.BAND, Tile.DARK)
    return where(ROW == 0 and COL == floor(heat), Tile.NEEDLE, band)

def reset(s):
    s.heat = uniform(0.5, 3.0)
    s.gauge = dial(s.heat)

def step(s, act):
    if act.move == UP:
        s.heat += uniform(0.8, 1.6)
    elif act.move == DOWN:
        s.heat -= 0.5
    s.heat -= COOLING * uniform(0.5, 1.5)
    if s.heat >= 4.0 and s.heat < 6.0:
        s.held += 1
        reward(0.02)
    else:
        s.held = 0
    s.gauge = dial(s.heat)
    if s.held == 12:
        win()
