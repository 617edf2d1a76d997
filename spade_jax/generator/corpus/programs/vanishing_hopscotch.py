"""Hop over the chalk squares, pick up every stone and end at home. A square vanishes when you leave
it, and where there is none you fall. Build redraws the squares around you: each time costs chalk."""
game = Game(size=(6, 6), max_steps=60, verbs=["build"], skills=["puzzle", "resource"])

STONES = Param(3, 1, 5, harder="up")
GAPS = Param(6, 2, 12, harder="up")
CHALK = Param(2, 0, 5, harder="down")

class Tile(Enum):
    SQUARE = Look("_", "white")
    GAP = Look(".", "black", hazard=True)
    STONE = Look("o", "gold", item=True)
    HOME = Look("H", "green", goal=True)

class State:
    agent: Pos
    chalk: Int(0, 5) = 2
    board: Grid(Tile, outside=Tile.GAP) = Tile.SQUARE

def reset(s):
    s.agent = Pos(5, randint(0, 5))
    s.board[Pos(0, randint(0, 5))] = Tile.HOME
    for k in range(5):
        if k < STONES:
            s.board[random_cell(s.board == Tile.SQUARE and not disk(s.agent, 1.0))] = Tile.STONE
    near_stone = neighbors4(s.board == Tile.STONE) > 0
    for k in range(12):
        free = s.board == Tile.SQUARE and not disk(s.agent, 1.0) and not near_stone and ROW > 0
        if k < GAPS and any(free):
            s.board[random_cell(free)] = Tile.GAP
    s.chalk = CHALK

def step(s, act):
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    if s.agent != before and s.board[before] != Tile.HOME:
        s.board[before] = Tile.GAP
    if act.build and s.chalk > 0:
        s.chalk -= 1
        s.board = where(disk(s.agent, 1.0) and s.board == Tile.GAP, Tile.SQUARE, s.board)
    here = s.board[s.agent]
    if here == Tile.GAP:
        lose()
    if here == Tile.STONE:
        s.board[s.agent] = Tile.SQUARE
        reward(0.15)
    if here == Tile.HOME and not any(s.board == Tile.STONE):
        win()
