"""Drag the crate with the magnet into the bay: pull draws it one cell towards you."""
game = Game(size=(6, 8), max_steps=70, verbs=["pull"], skills=["manipulation"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    BAY = Look("u", "green", goal=True)
    WALL = Look("#", "gray", solid=True)

class State:
    crane: Pos
    crate: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board[random_cell(COL == 1 or COL == 6)] = Tile.BAY
    s.crate = random_cell(rect(Pos(1, 2), Pos(4, 5)))
    s.crane = random_cell(s.board == Tile.FLOOR and not at(s.crate))

def step(s, act):
    to = s.crane + act.move
    if inside(to) and to != s.crate:
        s.crane = to
    gap = manhattan(s.crane, s.crate)
    if act.pull and gap > 1 and (s.crane.row == s.crate.row or s.crane.col == s.crate.col):
        s.crate = s.crate + toward(s.crate, s.crane)
        reward(0.01)
    if s.board[s.crate] == Tile.BAY:
        win()
