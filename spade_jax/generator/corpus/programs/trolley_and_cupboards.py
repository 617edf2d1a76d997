"""Catch the trolley to load two packs, then step into an open cupboard to fill it before it shuts by
itself. Fill enough of them; if too many shut empty you are dismissed."""
game = Game(size=(7, 9), max_steps=90, skills=["navigation"])

NEED = Param(3, 1, 6, harder="up")
SHUTS = Param(0.03, 0.01, 0.07, harder="up")
SHELVES = Param(0.2, 0.0, 0.5, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    SHELF = Look("#", "brown", solid=True)
    SHUT = Look("x", "gray", solid=True, door=True)
    EMPTY = Look("E", "green", goal=True)

class State:
    agent: Pos = Pos(3, 3)
    trolley: Pos = Pos(0, 4)
    heading: Dir = DOWN
    packs: Int(0, 2) = 0
    filled: Int(0, 6) = 0
    missed: Int(0, 4) = 0
    board: Grid(Tile, outside=Tile.SHELF) = Tile.FLOOR

def reset(s):
    s.trolley = Pos(randint(0, 6), 4)
    s.board = where((COL == 2 or COL == 6) and ROW % 2 == 1, Tile.SHELF, s.board)
    s.board = where(chance_grid(SHELVES) and (COL == 2 or COL == 6) and ROW % 4 == 0, Tile.SHELF, s.board)
    s.board = where(COL == 0 or COL == 8, Tile.SHUT, s.board)
    s.board[random_cell(s.board == Tile.SHUT)] = Tile.EMPTY

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if not inside(s.trolley + s.heading):
        s.heading = opposite(s.heading)
    if s.t % 2 == 0:
        s.trolley = s.trolley + s.heading
    if adjacent(s.agent, s.trolley) or s.agent == s.trolley:
        s.packs = 2
    if s.board[s.agent] == Tile.EMPTY and s.packs > 0:
        s.board[s.agent] = Tile.SHUT
        s.packs -= 1
        s.filled += 1
        reward(0.15)
    shutting = s.board == Tile.EMPTY and chance_grid(SHUTS) and not at(s.agent)
    s.missed += count(shutting)
    s.board = where(shutting, Tile.SHUT, s.board)
    if count(s.board == Tile.EMPTY) < 2 and chance(0.3):
        s.board[random_cell(s.board == Tile.SHUT and not at(s.agent))] = Tile.EMPTY
    if s.filled >= NEED:
        win()
    elif s.missed >= 4:
        lose()
