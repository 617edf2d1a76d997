"""Dig a snow cave by walking: open enough cells and dig out the sleeping bag while the light lasts.
Never open a whole two by two square, or the roof falls in, and never step into soft snow."""
game = Game(size=(7, 7), max_steps=60, skills=["puzzle", "navigation"])

CELLS = Param(9, 6, 14, harder="up")
SOFT = Param(5, 2, 9, harder="up")
LIGHT = Param(24, 18, 36, harder="down")

class Tile(Enum):
    SNOW = Look(".", "white")
    CAVE = Look("_", "black")
    BAG = Look("b", "orange", item=True)
    SOFT = Look("~", "blue", hazard=True)

class State:
    agent: Pos = Pos(0, 3)
    light: Int(0, 36) = 24
    board: Grid(Tile) = Tile.SNOW

def reset(s):
    s.board[s.agent] = Tile.CAVE
    s.board[random_cell(ROW > 2)] = Tile.BAG
    bag = nearest(s.board == Tile.BAG, s.agent)
    for k in range(9):
        if k < SOFT:
            free = s.board == Tile.SNOW and not disk(s.agent, 1.0) and not disk(bag, 1.0)
            s.board[random_cell(free)] = Tile.SOFT
    s.light = LIGHT

def step(s, act):
    """Nothing changes while you stay."""
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if s.agent != before:
        s.light -= 1
    if here == Tile.SNOW or here == Tile.BAG:
        reward(0.03 if here == Tile.SNOW else 0.15)
        s.board[s.agent] = Tile.CAVE
    opened = s.board == Tile.CAVE
    pair = opened and shift(opened, LEFT)
    if here == Tile.SOFT or any(pair and shift(pair, UP)):
        lose()
    elif count(opened) >= CELLS and not any(s.board == Tile.BAG):
        win()
    elif s.light == 0:
        lose()
