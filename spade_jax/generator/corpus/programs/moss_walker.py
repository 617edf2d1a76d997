"""Visit all beacons in the crater. You can breathe only on moss, which spreads and withers by itself
and sprouts where you walk; on bare ground you hold your breath for a few steps."""
game = Game(size=(8, 8), max_steps=80, skills=["navigation", "resource"])

BEACONS = Param(2, 1, 4, harder="up")
BREATH = Param(7, 4, 12, harder="down")
WITHER = Param(0.03, 0.0, 0.1, harder="up")

class Tile(Enum):
    DUST = Look(".", "orange")
    ROCK = Look("#", "gray", solid=True)
    MOSS = Look("m", "green", resource=True)
    BEACON = Look("B", "white", goal=True)

class State:
    agent: Pos = Pos(4, 4)
    breath: Int(0, 12) = 7
    board: Grid(Tile, outside=Tile.ROCK) = Tile.DUST

def reset(s):
    s.board = where(chance_grid(0.1), Tile.ROCK, s.board)
    s.board = where(disk(s.agent, 1.5), Tile.MOSS, s.board)
    for k in range(2):
        s.board = where(disk(Pos(randint(1, 6), randint(1, 6)), 1.0), Tile.MOSS, s.board)
    for k in range(4):
        if k < BEACONS:
            s.board[random_cell(s.board == Tile.DUST and not disk(s.agent, 2.5))] = Tile.BEACON
    s.breath = BREATH

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.MOSS:
        s.breath += 3
    else:
        s.breath -= 1
    if here == Tile.BEACON:
        reward(0.2)
    if here == Tile.BEACON or (here == Tile.DUST and chance(0.25)):
        s.board[s.agent] = Tile.MOSS
    moss = s.board == Tile.MOSS
    s.board = where(moss and chance_grid(WITHER), Tile.DUST, s.board)
    s.board = where(s.board == Tile.DUST and chance_grid(0.03 * neighbors4(moss)), Tile.MOSS, s.board)
    if not any(s.board == Tile.BEACON):
        win()
    elif s.breath == 0:
        lose()
